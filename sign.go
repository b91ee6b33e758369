// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/mod/sumdb/note"

	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/merkle"
)

// SignedHead returns the newest commit, and as a signed note: a text to keep
// elsewhere and to give to Verify later, which tells then whether the history
// still has that commit. It is a function of the commit, the key and what is trusted
// of protected files; where the
// commit came without a signature that counts here, Options.Signer makes one.
// Errors: Invalid (an empty memory, no key to sign with), Corrupt.
func (m *Memory) SignedHead(ctx context.Context) (Commit, string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	head := m.View().commit
	switch {
	case m.closed:
		return Commit{}, "", fail("head", m.dir, Invalid, errClosed)
	case head.Seq == 0:
		return Commit{}, "", m.empty("head")
	}
	if by, _ := m.signedBy(m.signed, m.View().commit); by != "" {
		return head, m.signed, nil
	}
	if m.opts.Signer == nil {
		return Commit{}, "", fail("head", m.dir, Invalid, errors.New("there is no key to sign with"))
	}
	signed, err := m.sign(ctx, head, m.attestedNow())
	return head, signed, fail("head", m.state, Corrupt, err)
}

// sign signs a commit on top of the head, or the head itself, with what is known of
// protected files then. Ed25519 gives the same signature each time.
func (m *Memory) sign(ctx context.Context, c Commit, book attested) (string, error) {
	first, err := m.firstCommit(ctx, c)
	if err != nil {
		return "", err
	}
	h := chainHead{first: first, seq: c.Seq, commit: c.Digest, root: c.Root, time: c.Time, attested: book}
	signed, err := note.Sign(&note.Note{Text: h.text()}, m.opts.Signer)
	return string(signed), err
}

// firstCommit returns the digest of the commit that the chain of c began with.
func (m *Memory) firstCommit(ctx context.Context, c Commit) (merkle.Digest, error) {
	if c.Seq == 1 {
		return c.Digest, nil
	}
	if m.first.IsZero() {
		h, _, err := openHead(m.signed, m.opts.Verifiers)
		if err == nil && h.names(m.View().commit) == nil {
			m.first = h.first
		}
	}
	if m.first.IsZero() { // once, where no signature vouches for the head
		err := m.store.Commits(background(ctx), store.Span{From: 1, To: 1}, func(r store.Record) error {
			m.first = merkle.Sum(r.Data)
			return nil
		})
		if err == nil && m.first.IsZero() {
			err = errNoCommit
		}
		if err != nil {
			return merkle.Digest{}, err
		}
	}
	return m.first, nil
}

// withHead adds the signed head that a commit makes to its marks. What cannot be
// signed is committed all the same: Status tells.
func (m *Memory) withHead(ctx context.Context, c *graph.Commit, marks [][]byte) [][]byte {
	if m.opts.Signer == nil {
		return marks
	}
	signed, err := m.sign(ctx, summary(c), m.attestedAfter(marks))
	if err != nil {
		m.opts.Log.Warn("a commit is not signed", "commit", c.Seq, "error", err)
		return marks
	}
	return append(marks[:len(marks):len(marks)], headMark(signed))
}

// signedBy returns which known key signed the head, or what is wrong with the
// newest signature there is. Both are empty where nothing was ever signed, and
// where no keys are known.
func (m *Memory) signedBy(signed string, head Commit) (by, wrong string) {
	if m.opts.Verifiers == nil || signed == "" || head.Seq == 0 {
		return "", ""
	}
	h, by, err := openHead(signed, m.opts.Verifiers)
	if err == nil {
		err = h.names(head)
	}
	if err != nil {
		return "", err.Error()
	}
	return by, ""
}

// names returns an *untrusted unless the signed head is that commit.
func (h chainHead) names(c Commit) error {
	switch {
	case h.seq == c.Seq-1:
		return &untrusted{unsigned, fmt.Sprintf("commit %d is not signed, those before are", c.Seq)}
	case h.seq < c.Seq:
		return &untrusted{unsigned, fmt.Sprintf("commits from %d to %d are not signed, those before are", h.seq+1, c.Seq)}
	case h.seq > c.Seq:
		return &untrusted{"stale", fmt.Sprintf("commit %d was signed, and the memory ends at %d", h.seq, c.Seq)}
	case h.commit != c.Digest || h.root != c.Root:
		return &untrusted{"forked", fmt.Sprintf("another commit %d was signed than the one that is here", c.Seq)}
	}
	return nil
}
