// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package chain

import (
	"fmt"

	"github.com/fovea-memory/fovea/merkle"
)

// The marks of the chain itself (doc/format/journal.md). A ledger's marks have the ledger's name.
const (
	markDropped   = "dropped"   // [kind, op]: an intent that led to no commit
	markHead      = "head"      // [kind, note]: the signed head that the commit of its batch makes
	markRewriting = "rewriting" // [kind, seq, secret, digests]: blocks to take out of history
	markRewritten = "rewritten" // [kind, seq]: they are taken out
)

// DroppedMark returns the mark of an announced operation that was not carried out.
func DroppedMark(op string) []byte { return NewMark(markDropped, op) }

// ReadHeadMark returns the signed head of a mark, false for a mark of another kind.
func ReadHeadMark(data []byte) (signed string, ok bool) {
	ok = ReadMark(data, markHead, &signed)
	return signed, ok
}

// applyMarks applies marks of the journal to an unpublished moment. A mark that this version does not know
// changes nothing.
func (tx *Tx) applyMarks(at *Moment, marks ...[]byte) error {
	for _, data := range marks {
		if err := tx.applyMark(at, data); err != nil {
			return err
		}
	}
	return nil
}

func (tx *Tx) applyMark(at *Moment, data []byte) error {
	c := merkle.Codec{In: merkle.NewReader(data)}
	n, kind, text := c.Size(0), "", ""
	c.Fields(&kind)
	switch {
	case c.Fail(nil):
	case kind == markDropped && n == 2:
		c.Fields(&text) // any batch after an intent ends it
	case kind == markHead && n == 2:
		c.Fields(&at.Signed)
	case kind == markRewriting && n == 4:
		tx.unfinished = &rewriting{drop: map[merkle.Digest]bool{}}
		c.Fields(tx.unfinished.fields()...)
		tx.blocks.Clear()
	case kind == markRewritten && n == 2:
		c.Fields(new(uint64))
		tx.unfinished = nil
		tx.blocks.Clear()
	default:
		if !tx.c.opts.Ledgers.apply(at, kind, n-1, &c) {
			return nil
		}
	}
	if err := c.Done(); err != nil {
		return fmt.Errorf("journal: mark: %w", err)
	}
	return nil
}
