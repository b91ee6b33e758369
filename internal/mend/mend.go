// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package mend

import (
	"context"
	"fmt"
	"strings"

	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/ingest"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/write"
	"github.com/fovea-memory/fovea/merkle"
)

// Mender verifies and repairs the memory of a scope, and drops content from its history.
type Mender struct {
	scope  *scope.Scope
	rights *scope.Rules
	writer *write.Writer
	folder *ingest.Reader
	host   Host
}

// Host gives a mender access to stores and other scopes. Package fovea implements it.
type Host struct {
	Scopes func() ([]string, error)                                 // the names of all scopes of the memex
	Open   func(ctx context.Context, scope string) (*Mender, error) // the mender of a scope of the memex
	Store  func() (store.Store, error)                              // opens the store of this scope again
	Load   func(context.Context, *chain.Tx) error                   // loads its chain again
	Purge  func() error                                             // drops copies of text outside the history
}

// New returns the mender of a writer's scope.
func New(w *write.Writer, r *scope.Rules, folder *ingest.Reader, owner Host) *Mender {
	return &Mender{scope: w.Scope(), rights: r, writer: w, folder: folder, host: owner}
}

// rewrite drops blocks from history by a commit that records it.
func (md *Mender) rewrite(ctx context.Context, tx *chain.Tx, a scope.Action, drop map[merkle.Digest]bool) (chain.Commit, error) {
	a.Now = md.scope.Options.Now()
	return tx.Rewrite(context.WithoutCancel(ctx), md.scope.NewCommit(ctx, a), drop)
}

// counted parses the numbers in a message such as "3 moments thinned, 1 block dropped", in
// order; missing numbers are 0.
func counted(message string, into ...*int) {
	for part := range strings.SplitSeq(message, ", ") {
		if len(into) == 0 {
			return
		}
		_, _ = fmt.Sscan(part, into[0])
		into = into[1:]
	}
}
