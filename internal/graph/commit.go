// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package graph

import (
	"bytes"
	"fmt"
	"time"

	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
)

// Format is the version of the commit format of doc/format/commit.md. Commits of the
// formats before name roots of another Merkle map, and are not read.
const Format = 3

// Kinds of commits.
const (
	KindIngest   = "ingest"   // files were read
	KindRollback = "rollback" // an earlier state was made the present one
	KindRevert   = "revert"   // what some commits did was taken back
	KindMerge    = "merge"    // two states were brought together
	KindEdit     = "edit"     // something was changed through Fovea
	KindPurge    = "purge"    // content was taken out of history for good; the state is the one before
	KindRetain   = "retain"   // moments were thinned; the state is the one before
	KindRepair   = "repair"   // damage was put aside; the state is the one before
	KindGuard    = "guard"    // the owner trusted a protected file as it is, or put back the trusted one
)

// Commit is one step of a scope's history: the new state, its parents, author, time and
// message. Its digest covers all commits before it.
type Commit struct {
	Seq     uint64          // 1 for the first
	Parents []merkle.Digest // sorted; none for the first
	State   merkle.Digest   // root of the state
	Delta   []Record        // what changed, sorted by id
	Lineage []node.Edge
	Kind    string
	Author  author.Author
	Session string
	Op      string // the operation it belongs to, and its idempotency key
	Time    int64  // Unix milliseconds, never before a parent's
	Message string

	Digest merkle.Digest // of the encoded commit; set by Encode and DecodeCommit
}

// When returns the commit's time.
func (c *Commit) When() time.Time { return time.UnixMilli(c.Time).UTC() }

// Encode returns the commit's canonical block and sets its digest. Parts of a large delta
// are separate blocks and passed to emit.
func (c *Commit) Encode(emit node.Emit) ([]byte, error) {
	b := merkle.AppendMap(nil, 12)
	b = merkle.AppendUint(merkle.AppendText(b, "f"), Format)
	b = merkle.AppendText(merkle.AppendText(b, "op"), c.Op)
	b = merkle.AppendUint(merkle.AppendText(b, "seq"), c.Seq)
	b = merkle.AppendText(merkle.AppendText(b, "kind"), c.Kind)
	b = merkle.AppendInt(merkle.AppendText(b, "time"), c.Time)
	b, err := merkle.AppendContent(merkle.AppendText(b, "delta"), string(encodeRecords(c.Delta)), emit)
	if err != nil {
		return nil, err
	}
	b = merkle.AppendLink(merkle.AppendText(b, "state"), c.State)
	b = AppendAuthor(merkle.AppendText(b, "author"), c.Author)
	b, err = merkle.AppendContent(merkle.AppendText(b, "lineage"), string(encodeEdges(c.Lineage)), emit)
	if err != nil {
		return nil, err
	}
	b = merkle.AppendText(merkle.AppendText(b, "message"), c.Message)
	b = merkle.AppendList(merkle.AppendText(b, "parents"), len(c.Parents))
	for _, p := range c.Parents {
		b = merkle.AppendLink(b, p)
	}
	b = merkle.AppendText(merkle.AppendText(b, "session"), c.Session)
	c.Digest = merkle.Sum(b)
	return b, nil
}

// readSeq reads a commit's block up to its number. unknown is the error of another format, of
// which this much may be read too.
func (c *Commit) readSeq(r *merkle.Reader) (unknown error) {
	r.FixedMap(12)
	r.Key("f")
	if format := r.Uint(); r.Err() == nil && format != Format {
		unknown = unknownFormat(format)
	}
	r.Key("op")
	c.Op = r.Text()
	r.Key("seq")
	c.Seq = r.Uint()
	return unknown
}

// readHead is readSeq that goes on up to the commit's delta.
func (c *Commit) readHead(r *merkle.Reader) (unknown error) {
	unknown = c.readSeq(r)
	r.Key("kind")
	c.Kind = r.Text()
	r.Key("time")
	c.Time = r.Int()
	r.Key("delta")
	return unknown
}

// beginCommit decodes a commit's block up to its delta, where the reader stands then.
func beginCommit(block []byte) (*Commit, *merkle.Reader, error) {
	r := merkle.NewReader(block)
	c := &Commit{Digest: merkle.Sum(block)}
	return c, r, c.readHead(r)
}

// DecodeCommit decodes a commit's block; get fetches the parts of a large delta. Errors:
// ErrFormat for an unknown format; any encoding but the canonical one is an error.
func DecodeCommit(block []byte, get func(merkle.Digest) ([]byte, error)) (*Commit, error) {
	c, r, err := beginCommit(block)
	if err != nil {
		return nil, err
	}
	delta, err := merkle.ReadContent(r, get)
	if err != nil {
		return nil, fmt.Errorf("commit: delta: %w", err)
	}
	r.Key("state")
	c.State = r.Link()
	r.Key("author")
	if c.Author, err = ReadAuthor(r); err != nil {
		return nil, fmt.Errorf("commit %d: %w", c.Seq, err)
	}
	r.Key("lineage")
	lineage, err := merkle.ReadContent(r, get)
	if err != nil {
		return nil, fmt.Errorf("commit: lineage: %w", err)
	}
	r.Key("message")
	c.Message = r.Text()
	r.Key("parents")
	for range r.List() {
		c.Parents = append(c.Parents, r.Link())
	}
	r.Key("session")
	c.Session = r.Text()
	if err := r.Done(); err != nil {
		return nil, fmt.Errorf("commit: %w", err)
	}
	if c.Delta, err = decodeRecords([]byte(delta)); err != nil {
		return nil, fmt.Errorf("commit %d: delta: %w", c.Seq, err)
	}
	if c.Lineage, err = decodeEdges([]byte(lineage)); err != nil {
		return nil, fmt.Errorf("commit %d: lineage: %w", c.Seq, err)
	}
	return c, nil
}

// unknownFormat returns ErrFormat with what to do about it.
func unknownFormat(format uint64) error {
	if format > Format {
		return fmt.Errorf("%w: it has commits of format %d of a later Fovea, this one reads %d", ErrFormat, format, Format)
	}
	return fmt.Errorf("%w: it has commits of format %d of an earlier Fovea, this one reads %d; your files are as they are: "+
		"move the folder away and run fovea repair to begin anew, or go on with the earlier build", ErrFormat, format, Format)
}

func encodeEdges(edges []node.Edge) []byte {
	b := merkle.AppendList(nil, len(edges))
	for _, e := range edges {
		b = merkle.AppendList(b, 2)
		b = merkle.AppendText(b, e.Old)
		b = merkle.AppendText(b, e.New)
	}
	return b
}

func decodeEdges(b []byte) ([]node.Edge, error) {
	r := merkle.NewReader(b)
	var out []node.Edge
	for range r.List() {
		r.FixedList(2)
		out = append(out, node.Edge{Old: r.Text(), New: r.Text()})
		if r.Err() != nil {
			break
		}
	}
	return out, r.Done()
}

// CommitHead decodes a commit without its changes, lineage and what else is behind its
// root; content that is not in the block is not fetched.
func CommitHead(block []byte) (*Commit, error) {
	c, r, err := beginCommit(block)
	if err != nil {
		return nil, err
	}
	r.Raw()
	r.Key("state")
	c.State = r.Link()
	if err := r.Err(); err != nil {
		return nil, fmt.Errorf("commit: %w", err)
	}
	return c, nil
}

// CommitSeq decodes only the sequence number of a commit.
func CommitSeq(block []byte) (uint64, error) {
	seq, _, err := CommitOp(block)
	return seq, err
}

// CommitOp decodes only the sequence number and operation of a commit.
func CommitOp(block []byte) (seq uint64, op string, err error) {
	var c Commit
	r := merkle.NewReader(block)
	_ = c.readSeq(r) // a number is read of each format
	if err := r.Err(); err != nil {
		return 0, "", fmt.Errorf("commit: %w", err)
	}
	return c.Seq, c.Op, nil
}

// Mentions reports whether a commit's block may concern a node, without decoding it. It
// has no false negatives, and is true for every commit with a delta or lineage in
// separate blocks. O(len(block)).
func Mentions(block []byte, id string) bool {
	if bytes.Contains(block, []byte(id)) {
		return true
	}
	r := merkle.NewReader(block)
	_ = new(Commit).readHead(r)
	if r.Peek() != merkle.KindBytes {
		return true
	}
	r.Bytes()
	r.Key("state")
	r.Link()
	r.Key("author")
	if _, err := ReadAuthor(r); err != nil {
		return true
	}
	r.Key("lineage")
	return r.Peek() != merkle.KindBytes
}

// AppendAuthor appends the encoding of an author: the list [kind], or [kind, name] for an
// agent; the empty list for none.
func AppendAuthor(b []byte, a author.Author) []byte {
	switch a.Kind {
	case 0:
		return merkle.AppendList(b, 0)
	case author.Agent:
		b = merkle.AppendText(merkle.AppendList(b, 2), author.Agent.String())
		return merkle.AppendText(b, a.Name)
	}
	return merkle.AppendText(merkle.AppendList(b, 1), a.Kind.String())
}

// ReadAuthor decodes the output of AppendAuthor. Decoding errors are in the reader;
// ErrFormat is returned for an author of an unknown kind.
func ReadAuthor(r *merkle.Reader) (author.Author, error) {
	parts := r.List()
	if r.Err() != nil || parts == 0 {
		return author.Author{}, nil
	}
	word := r.Text()
	kind, known := author.ParseKind(word)
	if r.Err() != nil {
		return author.Author{}, nil
	}
	want := 1
	if kind == author.Agent {
		want = 2
	}
	if !known || parts != want {
		return author.Author{}, fmt.Errorf("an author of the kind %q with %d parts: %w", word, parts, ErrFormat)
	}
	a := author.Author{Kind: kind}
	if kind == author.Agent {
		a.Name = r.Text()
	}
	return a, nil
}
