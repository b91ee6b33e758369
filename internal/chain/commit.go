// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package chain

import (
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

// Moment is a state with the commit that made it and the values of all ledgers. It never changes.
type Moment struct {
	State  *graph.State
	Commit Commit
	// Derived is what Options.Deriver made of the state.
	Derived any
	// Signed is the newest signed head, "" if nothing was ever signed. It is of this
	// commit unless the commit could not be signed.
	Signed string
	log    Log   // with this commit; of a past moment none
	values []any // of the ledgers, in order of registration; of a past moment those of permanent ledgers alone
}
