// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package travel

import (
	"context"
	"errors"

	"golang.org/x/mod/sumdb/note"

	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/scope"
)

// SignedHead is that of fovea.History.
func (h *History) SignedHead(ctx context.Context) (chain.Commit, string, error) {
	tx := h.scope.Chain.Begin()
	defer tx.End()
	head := h.scope.Chain.Head().Commit
	switch {
	case h.scope.IsClosed(tx):
		return chain.Commit{}, "", fault.Wrap("head", h.scope.Dir, fault.Invalid, scope.ErrClosed)
	case head.Seq == 0:
		return chain.Commit{}, "", empty(h.scope, "head")
	}
	signed, err := tx.SignedHead(ctx)
	if errors.Is(err, chain.ErrNoKey) {
		return chain.Commit{}, "", fault.Wrap("head", h.scope.Dir, fault.Invalid, err)
	}
	return head, signed, fault.Wrap("head", h.scope.StateDir, fault.Corrupt, err)
}

// Verifiers are the keys whose signatures count here; nil for none.
func Verifiers(h *History) note.Verifiers { return h.scope.Options.Verifiers }
