// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package mend

import (
	"errors"
	"fmt"

	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/merkle"
)

// signatures checks the signed heads of a journal during replay.
type signatures struct {
	newest string                   // the last signed head that was read
	wrong  map[string]*wrongHeads   // by kind and reason
	order  []*wrongHeads            // in reading order
	chain  map[uint64]merkle.Digest // commit digests by number
	log    chain.Log                // of the commits so far
}

// wrongHeads are signed heads with the same problem.
type wrongHeads struct {
	chain.Untrusted
	first uint64 // number of the commit before the first of them
	count int
}

// mark checks a signed head and ignores other marks.
func (w *verifier) mark(data []byte) {
	signed, ok := chain.ReadHeadMark(data)
	if !ok || w.mender.scope.Options.Verifiers == nil {
		return
	}
	w.checked++
	w.signatures.newest = signed
	h, _, err := chain.OpenHead(signed, w.mender.scope.Options.Verifiers)
	if err == nil {
		if err = h.Names(w.head); err == nil && h.First != w.signatures.chain[1] {
			err = &chain.Untrusted{Kind: "forked", Reason: "signed for the history of another memex"}
		}
	}
	if err == nil && !w.signatures.log.Agrees(h) {
		err = &chain.Untrusted{Kind: "forked", Reason: "its log is not that of the commits that are here"}
	}
	bad, ok := errors.AsType[*chain.Untrusted](err)
	if !ok || bad.Kind == chain.UnknownKey {
		return
	}
	s := &w.signatures
	same := s.wrong[bad.Kind+bad.Reason]
	if same == nil {
		same = &wrongHeads{Untrusted: *bad, first: w.head.Seq}
		s.wrong[bad.Kind+bad.Reason] = same
		s.order = append(s.order, same)
	}
	same.count++
}

// heads reports signed heads that are forged or do not fit the chain, and a newest head that has
// an unknown key or is older than the newest commit. An older head with an unknown key, or a
// commit without a head, is not a problem: a later head covers it.
func (w *verifier) heads() {
	for _, bad := range w.signatures.order {
		more := ""
		if bad.count > 1 {
			more = fmt.Sprintf(" (and %d heads after it)", bad.count-1)
		}
		w.problem(fmt.Sprintf("head %d", bad.first), bad.Kind, bad.Reason+more)
	}
	if w.signatures.newest == "" {
		return
	}
	h, _, err := chain.OpenHead(w.signatures.newest, w.mender.scope.Options.Verifiers)
	if err == nil {
		err = h.Names(w.head)
	}
	if bad, ok := errors.AsType[*chain.Untrusted](err); ok && (bad.Kind == chain.UnknownKey || bad.Kind == chain.Unsigned) {
		w.problem("head", bad.Kind, bad.Reason)
	}
}

// anchors compares the chain with heads kept elsewhere.
func (w *verifier) anchors(notes []string) {
	for i, signed := range notes {
		w.checked++
		if bad, ok := errors.AsType[*chain.Untrusted](w.anchor(signed)); ok {
			w.problem(fmt.Sprintf("anchor %d", i+1), bad.Kind, bad.Reason)
		}
	}
}

// anchor returns a *chain.Untrusted unless the chain has the commit that a head names.
func (w *verifier) anchor(signed string) error {
	h, _, err := chain.OpenHead(signed, w.mender.scope.Options.Verifiers)
	if err != nil {
		return err
	}
	have, ok := w.signatures.chain[h.Seq]
	switch {
	case w.signatures.chain[1] != h.First:
		return &chain.Untrusted{Kind: "forked", Reason: "it is of another memex, or the whole history was replaced"}
	case !ok:
		return &chain.Untrusted{Kind: "stale", Reason: fmt.Sprintf(
			"it knows commit %d of %s, and the memory ends at %d: an older state was put in place", h.Seq, h.Time.Format(chain.HeadTime), w.head.Seq)}
	case have != h.Commit:
		return &chain.Untrusted{Kind: "forked", Reason: fmt.Sprintf("it knows another commit %d: the history forked at or before it", h.Seq)}
	}
	return nil
}
