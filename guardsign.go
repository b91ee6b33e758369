// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"context"

	"github.com/fovea-memory/fovea/internal/guard"
	"github.com/fovea-memory/fovea/merkle"
)

// doubtBaselines finds out, once a memory is loaded, whether the key of this machine
// or another known one vouches for the baselines. The newest signed head names them,
// so that neither a changed nor a removed one goes unseen. Without a key they are
// taken as they are.
func (m *Memory) doubtBaselines() {
	m.guard.doubt.Store(nil)
	head := m.View().commit
	if m.opts.Signer == nil || m.opts.Verifiers == nil || head.Seq == 0 || !m.hasFiles() {
		return
	}
	if why := m.whyDoubted(head); why != "" {
		m.guard.doubt.Store(&why)
		m.opts.Log.Warn("what is trusted of protected files is not vouched for", "why", why)
	}
}

// whyDoubted says what is wrong with the baselines as loaded, "" for nothing.
func (m *Memory) whyDoubted(head Commit) string {
	if m.signed == "" {
		return "no commit is signed"
	}
	h, _, err := openHead(m.signed, m.opts.Verifiers)
	if err == nil {
		err = h.names(head)
	}
	switch {
	case err != nil:
		return err.Error()
	case h.baselines == bookLine(m.guard.book.Load()):
		return ""
	case h.baselines == noBaselines:
		return "they were in doubt before, and not adopted since"
	}
	return "they are not those that were signed"
}

// bookLine is what a signed head says of a book.
func bookLine(b *guard.Book) string {
	if !b.Begun() {
		return ""
	}
	return b.Digest().String()
}

// vouchedBook is what a head that is signed now says of the baselines: what is
// doubted is not signed for.
func (m *Memory) vouchedBook() string {
	if m.guard.doubt.Load() != nil {
		return noBaselines
	}
	return bookLine(m.guard.book.Load())
}

// vouchedAfter is vouchedBook once marks have come to count. An entry that begins
// anew ends what was doubted.
func (m *Memory) vouchedAfter(marks [][]byte) string {
	book, doubted := m.guard.book.Load(), m.guard.doubt.Load() != nil
	for _, mark := range marks {
		r := merkle.NewReader(mark)
		if n, kind := r.List(), r.Text(); n != 2 || kind != markGuard {
			continue
		}
		entries, err := readEntries(r)
		if err != nil {
			return noBaselines
		}
		book = book.With(entries...)
		for _, e := range entries {
			doubted = doubted && !e.Anew
		}
	}
	if doubted {
		return noBaselines
	}
	return bookLine(book)
}

// withBook adds to marks that change what is trusted the head, signed again. What
// cannot be signed is doubted when the memory is opened again.
func (m *Memory) withBook(ctx context.Context, marks [][]byte) [][]byte {
	head := m.View().commit
	if m.opts.Signer == nil || head.Seq == 0 {
		return marks
	}
	signed, err := m.sign(ctx, head, m.vouchedAfter(marks))
	if err != nil {
		m.opts.Log.Warn("what is trusted of protected files is not signed", "error", err)
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
