// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package chain

import (
	"strings"
	"time"

	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
)

// Commit is one durable step of the history, as the log shows it.
type Commit struct {
	Seq       uint64
	Digest    merkle.Digest // names the commit and its whole history
	Root      merkle.Digest // of the state it made
	Kind      string        // ingest, rollback, revert, merge, edit, purge, retain, repair, guard
	Author    author.Author
	Session   string
	Op        string // shared by the commits of one operation
	Vouched   bool   // whether a token proved the author; otherwise the caller asserted it
	Time      time.Time
	Message   string
	Changes   int // nodes added, changed or removed
	Documents int // documents in the resulting state; 0 if unknown
	// Paths are those of the changed documents, for Options.Committed; nil elsewhere. It is
	// shared and must not be changed.
	Paths []string
	// Lineage maps ids that nodes had before the commit to those they have after
	// it: derived ids follow titles and places. It is shared and must not be changed.
	Lineage []node.Edge
	// Parents are set for a merge: the commit before it and the one it took in,
	// sorted. Other commits follow the one before and have nil. It is shared as well. Of the
	// newest commit after Open from an image, Lineage and Parents are nil: Log has them.
	Parents []merkle.Digest
	// Would is what a dry run would change, nil for a commit. Left names the files that a
	// rollback left out, each with the reason; nil in a log.
	Would *graph.Delta
	Left  []string
}

// VouchedOp begins the operation key of a commit whose author a token proved.
const VouchedOp = "token:"

// Summary returns a commit without its changes.
func Summary(c *graph.Commit) Commit {
	s := Commit{
		Seq: c.Seq, Digest: c.Digest, Root: c.State, Kind: c.Kind, Author: c.Author, Session: c.Session,
		Op: c.Op, Vouched: strings.HasPrefix(c.Op, VouchedOp), Time: c.When(), Message: c.Message, Changes: len(c.Delta), Lineage: c.Lineage,
	}
	if len(c.Parents) > 1 {
		s.Parents = c.Parents
	}
	return s
}

// Legible replaces invalid UTF-8 in the text of a commit: a path in a message may
// be any bytes.
func Legible(c *graph.Commit) {
	for _, text := range []*string{&c.Author.Name, &c.Session, &c.Op, &c.Message} {
		*text = strings.ToValidUTF8(*text, "\uFFFD")
	}
}

// appendSummary encodes the newest commit for an image.
func appendSummary(b []byte, c Commit) []byte {
	b = merkle.AppendList(b, 10)
	b = merkle.AppendUint(b, c.Seq)
	b = merkle.AppendLink(b, c.Digest)
	b = merkle.AppendLink(b, c.Root)
	b = graph.AppendAuthor(merkle.AppendText(b, c.Kind), c.Author)
	for _, s := range []string{c.Session, c.Op, c.Message} {
		b = merkle.AppendText(b, s)
	}
	b = merkle.AppendInt(b, c.Time.UnixMilli())
	return merkle.AppendUint(b, uint64(c.Changes))
}

func readSummary(data []byte) (c Commit, err error) {
	r := merkle.NewReader(data)
	r.FixedList(10)
	c.Seq, c.Digest, c.Root = r.Uint(), r.Link(), r.Link()
	c.Kind = r.Text()
	if c.Author, err = graph.ReadAuthor(r); err != nil {
		return c, err
	}
	for _, s := range []*string{&c.Session, &c.Op, &c.Message} {
		*s = r.Text()
	}
	c.Vouched = strings.HasPrefix(c.Op, VouchedOp)
	c.Time = time.UnixMilli(r.Int()).UTC()
	c.Changes = int(r.Uint())
	return c, r.Done()
}

// Point is a state with the commit that made it. It never changes, and holds no more than
// the state does, so that a ledger may keep the points of past moments.
type Point struct {
	State  *graph.State
	Commit Commit
}

// Moment is a point with the values of all ledgers. It never changes. Its point is not nil.
type Moment struct {
	*Point
	// Derived is what Options.Deriver made of the state.
	Derived any
	// Signed is the newest signed head, "" if nothing was ever signed. It is of this
	// commit unless the commit could not be signed.
	Signed string
	log    Log   // with this commit; of a past moment none
	values []any // of the ledgers, in order of registration; of a past moment those of permanent ledgers alone
}
