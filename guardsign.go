// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"context"

	"github.com/fovea-memory/fovea/internal/guard"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/merkle"
)

// doubtBaselines finds out, once a memory is loaded, whether the key of this machine
// or another known one vouches for the baselines. The newest signed head names them,
// so that neither a changed nor a removed one goes unseen; that a change was told
// counts only where it does so as well. Without a key they are taken as they are. Where
// the history is lost, nothing is known of what was trusted.
func (m *Memory) doubtBaselines() {
	m.guard.doubt.Store(nil)
	head := m.View().commit
	if head.Seq == 0 && store.RecoveryOf(m.store).Corrupt != nil && m.hasFiles() {
		why := "it is lost with the history"
		m.guard.doubt.Store(&why)
		return
	}
	if m.opts.Signer == nil || m.opts.Verifiers == nil || head.Seq == 0 || !m.hasFiles() {
		return
	}
	book := m.guard.book.Load()
	signed, why := m.signedFor(head)
	if why == "" {
		why = whyDoubted(signed, book)
	}
	if why != "" {
		m.guard.doubt.Store(&why)
		m.opts.Log.Warn("what is trusted of protected files is not vouched for", "why", why)
	}
	if signed.told != attestedOf(book, false).told {
		m.guard.book.Store(book.WithoutNotices())
		m.opts.Log.Warn("that the owner was told of changes in protected files is not signed; they are told of again")
	}
}

// signedFor returns what a known key signed of protected files at the head, or why
// none counts.
func (m *Memory) signedFor(head Commit) (signed attested, why string) {
	if m.signed == "" {
		return attested{}, "no commit is signed"
	}
	h, _, err := openHead(m.signed, m.opts.Verifiers)
	if err == nil {
		err = h.names(head)
	}
	if err != nil {
		return attested{}, err.Error()
	}
	return h.attested, ""
}

// whyDoubted says what is wrong with the baselines as loaded, "" for nothing.
func whyDoubted(signed attested, book *guard.Book) string {
	switch signed.baselines {
	case attestedOf(book, false).baselines:
		return ""
	case noBaselines:
		return "they were in doubt before, and not adopted since"
	}
	return "they are not those that were signed"
}

// attestedOf is what a signed head says of a book: what is doubted is not signed for.
func attestedOf(b *guard.Book, doubted bool) attested {
	var v attested
	switch {
	case doubted:
		v.baselines = noBaselines
	case b.Initialized():
		v.baselines = b.Digest().String()
	}
	if b.NotifiedCount() > 0 {
		v.told = b.NoticeDigest().String()
	}
	return v
}

// attestedNow is what a head that is signed now says of protected files.
func (m *Memory) attestedNow() attested {
	return attestedOf(m.guard.book.Load(), m.guard.doubt.Load() != nil)
}

// attestedAfter is attestedNow once marks have come to count. An entry that begins
// anew ends what was doubted.
func (m *Memory) attestedAfter(marks [][]byte) attested {
	book, doubted := m.guard.book.Load(), m.guard.doubt.Load() != nil
	for _, mark := range marks {
		r := merkle.NewReader(mark)
		if n, kind := r.List(), r.Text(); n != 2 || kind != markGuard {
			continue
		}
		entries, err := readEntries(r)
		if err != nil {
			return attestedOf(nil, true)
		}
		book = book.With(entries...)
		for _, e := range entries {
			doubted = doubted && !e.Reset
		}
	}
	return attestedOf(book, doubted)
}

// withBook adds to marks that change what is trusted or told the head, signed again.
// What cannot be signed is doubted, or told again, when the memory is next opened.
func (m *Memory) withBook(ctx context.Context, marks [][]byte) [][]byte {
	head := m.View().commit
	if m.opts.Signer == nil || head.Seq == 0 {
		return marks
	}
	signed, err := m.sign(ctx, head, m.attestedAfter(marks))
	if err != nil {
		m.opts.Log.Warn("what is known of protected files is not signed", "error", err)
		return marks
	}
	return append(marks[:len(marks):len(marks)], headMark(signed))
}

// baselinesDoubted is for Status.
func (m *Memory) baselinesDoubted() string {
	if doubt := m.guard.doubt.Load(); doubt != nil {
		return *doubt
	}
	if m.opts.Signer == nil && len(m.guard.book.Load().Paths()) > 0 {
		return "there is no key: who can write the state folder can change them"
	}
	return ""
}
