// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package ingest

import (
	"sync/atomic"

	"github.com/fovea-memory/fovea/internal/corpus"
	"github.com/fovea-memory/fovea/internal/rights"
	"github.com/fovea-memory/fovea/internal/scope"
)

// Reader brings what is in the folder, and trees without files, into the memory of a scope.
type Reader struct {
	scope  *scope.Scope
	rights *rights.Rules

	published atomic.Pointer[Report]
	removals  removals

	// The chain's writer guards what follows.
	table    *corpus.Table
	tableOld bool             // the table on disk is outdated
	problems []corpus.Problem // of the last scan
	missing  []string         // files absent from it whose deletion is held back, sorted
}

// New returns the reader of a scope. LoadTable saves it from reading every file again.
func New(s *scope.Scope, r *rights.Rules) *Reader {
	return &Reader{scope: s, rights: r}
}
