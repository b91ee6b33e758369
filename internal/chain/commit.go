// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package chain

import (
	"math"
	"strings"
	"time"

	"github.com/fovea-memory/fovea/history"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/merkle"
)

// Commit is one durable step of the history, see package history.
type Commit = history.Commit

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

// codeSummary is the form of the newest commit in an image.
func codeSummary(c *Commit) func(*merkle.Codec) {
	return func(x *merkle.Codec) {
		at := c.Time.UnixMilli()
		changes := func(x *merkle.Codec) { x.Number(&c.Changes, math.MaxInt) }
		x.Record(&c.Seq, &c.Digest, &c.Root, &c.Kind, graph.CodeAuthor(&c.Author), &c.Session, &c.Op, &c.Message, &at, changes)
		c.Time, c.Vouched = time.UnixMilli(at).UTC(), strings.HasPrefix(c.Op, VouchedOp)
	}
}

// Moment is a state with the commit that made it and the values of all ledgers. It never changes.
type Moment struct {
	State  *graph.State
	Commit Commit
	// Derived is what Options.Deriver made of the state.
	Derived any
	// Signed is the newest signed head, "" if nothing was ever signed. It is of this
	// commit unless the commit could not be signed.
	Signed string
	log    Log   // with this commit; empty for a past moment
	values []any // of the ledgers, in order of registration; for a past moment only those of permanent ledgers
}
