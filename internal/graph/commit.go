// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package graph

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
)

// Format is the version of the commit format of doc/format/commit.md. Commits of earlier formats name roots of
// another Merkle map, and are not read.
const Format = 3

// Kinds of commits.
const (
	KindIngest   = "ingest"   // files were read
	KindRollback = "rollback" // an earlier state was restored
	KindRevert   = "revert"   // changes of some commits were undone
	KindMerge    = "merge"    // two states were merged
	KindEdit     = "edit"     // something was changed through Fovea
	KindPurge    = "purge"    // content was removed from history for good; the state is unchanged
	KindRetain   = "retain"   // moments were thinned; the state is unchanged
	KindRepair   = "repair"   // damaged files were put aside; the state is unchanged
	KindGuard    = "guard"    // the owner trusted a protected file as it is, or restored the trusted one
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
	x := merkle.Codec{Emit: emit}
	c.code(&x)
	if err := x.Done(); err != nil {
		return nil, err
	}
	c.Digest = merkle.Sum(x.Out)
	return x.Out, nil
}

// code is a commit's block.
func (c *Commit) code(x *merkle.Codec) {
	if x.Fail(c.codeHead(x)) {
		return
	}
	const record = 300 // bytes, about
	x.Fields(merkle.Nested(len(c.Delta)*record, merkle.List(&c.Delta, (*Record).code)), "state", &c.State, "author", CodeAuthor(&c.Author))
	edges := merkle.List(&c.Lineage, func(e *node.Edge, x *merkle.Codec) { x.Record(&e.Old, &e.New) })
	x.Fields("lineage", merkle.Nested(0, edges), "message", &c.Message, "parents", merkle.Links(math.MaxInt, &c.Parents), "session", &c.Session)
}

// codeSeq is a commit's block up to its number. unknown is the error of another format, whose blocks can also
// be read up to there.
func (c *Commit) codeSeq(x *merkle.Codec) (unknown error) {
	x.Map(12)
	format := uint64(Format)
	if x.Fields("f", &format); !x.Fail(nil) && format != Format {
		unknown = unknownFormat(format)
	}
	x.Fields("op", &c.Op, "seq", &c.Seq)
	return unknown
}

// codeHead is codeSeq continued up to the commit's delta.
func (c *Commit) codeHead(x *merkle.Codec) (unknown error) {
	unknown = c.codeSeq(x)
	x.Fields("kind", &c.Kind, "time", &c.Time, "delta")
	return unknown
}

// DecodeCommit decodes a commit's block; get fetches the parts of a large delta. Errors: ErrFormat for an
// unknown format; any encoding except the canonical one is an error.
func DecodeCommit(block []byte, get func(merkle.Digest) ([]byte, error)) (*Commit, error) {
	x, c := merkle.Codec{In: merkle.NewReader(block), Load: get}, &Commit{Digest: merkle.Sum(block), Delta: []Record{}}
	c.code(&x)
	switch err := x.Done(); {
	case errors.Is(err, ErrFormat):
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("commit %d: %w", c.Seq, err)
	}
	return c, nil
}

// unknownFormat returns ErrFormat with the next step.
func unknownFormat(format uint64) error {
	if format > Format {
		return fmt.Errorf("%w: it has commits of format %d of a later Fovea, this one reads %d", ErrFormat, format, Format)
	}
	return fmt.Errorf("%w: it has commits of format %d of an earlier Fovea, this one reads %d; your files are as they are: "+
		"move the folder away and run fovea repair to begin anew, or go on with the earlier build", ErrFormat, format, Format)
}

// CommitHead decodes a commit without its changes, its lineage and the fields after its root; content that is
// not in the block is not fetched.
func CommitHead(block []byte) (*Commit, error) {
	x, c := merkle.Codec{In: merkle.NewReader(block)}, &Commit{Digest: merkle.Sum(block)}
	if err := c.codeHead(&x); err != nil {
		return nil, err
	}
	x.In.Raw()
	if x.Fields("state", &c.State); x.Fail(nil) {
		return nil, fmt.Errorf("commit: %w", x.Err)
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
	x, c := merkle.Codec{In: merkle.NewReader(block)}, Commit{}
	_ = c.codeSeq(&x) // the number is read in any format
	if x.Fail(nil) {
		return 0, "", fmt.Errorf("commit: %w", x.Err)
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
	x, c := merkle.Codec{In: merkle.NewReader(block)}, Commit{}
	_ = c.codeHead(&x)
	if x.In.Peek() != merkle.KindBytes {
		return true
	}
	x.In.Bytes()
	x.Fields("state", &c.State, "author", CodeAuthor(&c.Author), "lineage")
	return x.Fail(nil) || x.In.Peek() != merkle.KindBytes
}

// CodeAuthor is the form of an author: the list [kind], or [kind, name] for an agent; the empty list for
// none. Errors: ErrFormat for an unknown kind.
func CodeAuthor(a *author.Author) func(*merkle.Codec) {
	return func(x *merkle.Codec) {
		kind, parts := a.Kind.String(), 1
		switch a.Kind {
		case 0:
			parts = 0
		case author.Agent:
			parts = 2
		}
		if parts = x.Size(parts); parts == 0 {
			return
		}
		if x.Fields(&kind); x.Fail(nil) {
			return
		}
		var known bool
		if a.Kind, known = author.ParseKind(kind); !known || (parts == 2) != (a.Kind == author.Agent) || parts > 2 {
			x.Fail(fmt.Errorf("an author of the kind %q with %d parts: %w", kind, parts, ErrFormat))
		} else if parts == 2 {
			x.Fields(&a.Name)
		}
	}
}
