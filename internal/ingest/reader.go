// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package ingest

import (
	"sync/atomic"

	"github.com/fovea-memory/fovea/internal/corpus"
	"github.com/fovea-memory/fovea/internal/rights"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/merkle"
)

// Reader brings what is in the folder, and trees without files, into the memory of a scope.
type Reader struct {
	scope  *scope.Scope
	rights *rights.Rules

	published atomic.Pointer[Report]
	removals  removals

	// The chain's writer guards what follows.
	table     *corpus.Table
	tableOld  bool             // it changed since it was loaded or saved
	tableRoot merkle.Digest    // the root at that time
	problems  []corpus.Problem // of the last scan
	missing   []string         // files absent from it whose deletion is held back, sorted
}

// New returns the reader of a scope.
func New(s *scope.Scope, r *rights.Rules) *Reader {
	return &Reader{scope: s, rights: r}
}
