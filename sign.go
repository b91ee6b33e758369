// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"context"
	"errors"

	"github.com/fovea-memory/fovea/internal/chain"
)

// SignedHead returns the newest commit, and as a signed note: a text to keep
// elsewhere and to give to Verify later, which then reports whether the history
// still has that commit. It is a function of the commit, the key and what is trusted
// of protected files; if the commit came without a signature that counts here,
// Options.Signer makes one. Errors: Invalid (an empty memory, no key to sign with),
// Corrupt.
func (m *Memory) SignedHead(ctx context.Context) (Commit, string, error) {
	tx := m.chain.Begin()
	defer tx.End()
	head := m.chain.Head().Commit
	switch {
	case m.closed:
		return Commit{}, "", fail("head", m.dir, Invalid, errClosed)
	case head.Seq == 0:
		return Commit{}, "", m.empty("head")
	}
	signed, err := tx.SignedHead(ctx)
	if errors.Is(err, chain.ErrNoKey) {
		return Commit{}, "", fail("head", m.dir, Invalid, err)
	}
	return head, signed, fail("head", m.state, Corrupt, err)
}
