// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"errors"
	"fmt"

	"github.com/fovea-memory/fovea/merkle"
)

// signatures checks the signed heads of a journal while it is replayed.
type signatures struct {
	newest string                   // the last one met
	wrong  map[string]*wrongHeads   // by kind and reason
	order  []*wrongHeads            // as they were met
	chain  map[uint64]merkle.Digest // the commits, by number
}

// wrongHeads are signed heads of which the same is wrong.
type wrongHeads struct {
	untrusted
	first uint64 // the commit that the first of them lies behind
	count int
}

// mark takes a mark of the journal into account.
func (w *verifier) mark(data []byte) {
	signed, ok := readHeadMark(data)
	if !ok || w.m.opts.Verifiers == nil {
		return
	}
	w.checked++
	w.signatures.newest = signed
	h, _, err := openHead(signed, w.m.opts.Verifiers)
	if err == nil {
		if err = h.names(w.head); err == nil && h.first != w.signatures.chain[1] {
			err = &untrusted{"forked", "signed for the history of another memex"}
		}
	}
	bad, ok := errors.AsType[*untrusted](err)
	if !ok || bad.kind == unknownKey {
		return
	}
	s := &w.signatures
	same := s.wrong[bad.kind+bad.reason]
	if same == nil {
		same = &wrongHeads{untrusted: *bad, first: w.head.Seq}
		s.wrong[bad.kind+bad.reason] = same
		s.order = append(s.order, same)
	}
	same.count++
}

// heads tells what is wrong with the signed heads: those that are forged or do not
// fit, and that the newest is of an unknown key or older than the newest commit.
// An older one of an unknown key is no problem, nor is a commit without: the
// head signed after it vouches for it.
func (w *verifier) heads() {
	for _, bad := range w.signatures.order {
		more := ""
		if bad.count > 1 {
			more = fmt.Sprintf(" (and %d heads after it)", bad.count-1)
		}
		w.problem(fmt.Sprintf("head %d", bad.first), bad.kind, bad.reason+more)
	}
	if w.signatures.newest == "" {
		return
	}
	h, _, err := openHead(w.signatures.newest, w.m.opts.Verifiers)
	if err == nil {
		err = h.names(w.head)
	}
	if bad, ok := errors.AsType[*untrusted](err); ok && (bad.kind == unknownKey || bad.kind == unsigned) {
		w.problem("head", bad.kind, bad.reason)
	}
}

// anchors compares the chain with heads that were kept elsewhere.
func (w *verifier) anchors(notes []string) {
	for i, signed := range notes {
		w.checked++
		if bad, ok := errors.AsType[*untrusted](w.anchor(signed)); ok {
			w.problem(fmt.Sprintf("anchor %d", i+1), bad.kind, bad.reason)
		}
	}
}

// anchor returns an *untrusted unless the chain has the commit of a head.
func (w *verifier) anchor(signed string) error {
	h, _, err := openHead(signed, w.m.opts.Verifiers)
	if err != nil {
		return err
	}
	have, ok := w.signatures.chain[h.seq]
	switch {
	case w.signatures.chain[1] != h.first:
		return &untrusted{"forked", "it is of another memex, or the whole history was replaced"}
	case !ok:
		return &untrusted{"stale", fmt.Sprintf(
			"it knows commit %d of %s, and the memory ends at %d: an older state was put in place", h.seq, h.time.Format(headTime), w.head.Seq)}
	case have != h.commit:
		return &untrusted{"forked", fmt.Sprintf("it knows another commit %d: the history forked at or before it", h.seq)}
	}
	return nil
}
