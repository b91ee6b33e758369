// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package graph

import (
	"fmt"
	"time"

	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
)

// Format is the version of the commit format of doc/format/commit.md.
const Format = 0

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

// Commit is one step of a scope's history: which state came about, from which,
// by whom, when and why. Its digest names it and all that went before.
type Commit struct {
	Seq     uint64          // 1 for the first
	Parents []merkle.Digest // sorted; none for the first
	State   merkle.Digest   // root of the state
	Delta   []Record        // what changed, sorted by id
	Lineage []node.Edge
	Kind    string
	Author  string
	Session string
	Op      string // the operation it belongs to, and its idempotency key
	Time    int64  // Unix milliseconds, never before a parent's
	Message string

	Digest merkle.Digest // of the encoded commit; set by Encode and DecodeCommit
}

// Record is a change as a commit keeps it: digests and places, no content.
type Record struct {
	ID       string
	Old, New *node.Entry
}

// Records returns a delta as a commit keeps it.
func (d *Delta) Records() []Record {
	out := make([]Record, len(d.Changes))
	for i, c := range d.Changes {
		out[i].ID = c.ID
		if c.Old != nil {
			out[i].Old = &c.Old.Entry
		}
		if c.New != nil {
			out[i].New = &c.New.Entry
		}
	}
	return out
}

// When returns the commit's time.
func (c *Commit) When() time.Time { return time.UnixMilli(c.Time).UTC() }

// Encode returns the commit's canonical block and sets its digest. Parts of a
// large delta are blocks of their own and go to emit.
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
	b = merkle.AppendText(merkle.AppendText(b, "author"), c.Author)
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

// DecodeCommit reads a commit's block; get fetches the parts of a large delta.
// It returns ErrFormat for a format it does not know, and an error for
// anything but the one canonical encoding.
func DecodeCommit(block []byte, get func(merkle.Digest) ([]byte, error)) (*Commit, error) {
	r := merkle.NewReader(block)
	c := &Commit{Digest: merkle.Sum(block)}
	r.FixedMap(12)
	r.Key("f")
	if f := r.Uint(); r.Err() == nil && f != Format {
		return nil, fmt.Errorf("commit: format %d: %w", f, ErrFormat)
	}
	r.Key("op")
	c.Op = r.Text()
	r.Key("seq")
	c.Seq = r.Uint()
	r.Key("kind")
	c.Kind = r.Text()
	r.Key("time")
	c.Time = r.Int()
	r.Key("delta")
	delta, err := merkle.ReadContent(r, get)
	if err != nil {
		return nil, fmt.Errorf("commit: delta: %w", err)
	}
	r.Key("state")
	c.State = r.Link()
	r.Key("author")
	c.Author = r.Text()
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

func encodeRecords(records []Record) []byte {
	const record, kid = 256, 40 // bytes, about
	size := len(records) * record
	for _, rec := range records {
		for _, e := range []*node.Entry{rec.Old, rec.New} {
			if e != nil {
				size += len(e.Kids) * kid
			}
		}
	}
	b := merkle.AppendList(make([]byte, 0, size), len(records))
	for _, rec := range records {
		b = merkle.AppendList(b, 3)
		b = merkle.AppendText(b, rec.ID)
		b = appendEntry(b, rec.Old, nil)
		b = appendEntry(b, rec.New, rec.Old)
	}
	return b
}

// appendEntry writes [own, version, parent, path, kids, modified]; kids is
// null where they are those of prev.
func appendEntry(b []byte, e, prev *node.Entry) []byte {
	if e == nil {
		return merkle.AppendNull(b)
	}
	b = merkle.AppendList(b, 6)
	b = merkle.AppendLink(b, e.Own)
	b = merkle.AppendLink(b, e.Version)
	b = merkle.AppendText(b, e.Parent)
	b = merkle.AppendBytes(b, e.Path)
	if prev != nil && equalKids(e.Kids, prev.Kids) {
		b = merkle.AppendNull(b)
	} else {
		b = merkle.AppendList(b, len(e.Kids))
		for _, k := range e.Kids {
			b = merkle.AppendText(b, k)
		}
	}
	return merkle.AppendInt(b, e.Modified)
}

func decodeRecords(b []byte) ([]Record, error) {
	r := merkle.NewReader(b)
	n := r.List()
	out := make([]Record, 0, min(n, len(b)/8))
	for range n {
		var rec Record
		r.FixedList(3)
		rec.ID = r.Text()
		rec.Old = readEntry(r, nil)
		rec.New = readEntry(r, rec.Old)
		if r.Err() != nil {
			break
		}
		out = append(out, rec)
	}
	return out, r.Done()
}

func readEntry(r *merkle.Reader, prev *node.Entry) *node.Entry {
	if r.Peek() == merkle.KindNull {
		r.Null()
		return nil
	}
	var e node.Entry
	r.FixedList(6)
	e.Own, e.Version = r.Link(), r.Link()
	e.Parent = r.Text()
	e.Path = string(r.Bytes())
	if prev != nil && r.Peek() == merkle.KindNull {
		r.Null()
		e.Kids = prev.Kids
	} else {
		for range r.List() {
			if e.Kids = append(e.Kids, r.Text()); r.Err() != nil {
				return nil
			}
		}
	}
	e.Modified = r.Int()
	return &e
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

func equalKids(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// CommitSeq reads a commit's sequence number alone.
func CommitSeq(block []byte) (uint64, error) {
	seq, _, err := CommitOp(block)
	return seq, err
}

// CommitOp reads a commit's sequence number and operation alone.
func CommitOp(block []byte) (seq uint64, op string, err error) {
	r := merkle.NewReader(block)
	r.FixedMap(12)
	r.Key("f")
	r.Uint()
	r.Key("op")
	op = r.Text()
	r.Key("seq")
	seq = r.Uint()
	if err := r.Err(); err != nil {
		return 0, "", fmt.Errorf("commit: %w", err)
	}
	return seq, op, nil
}
