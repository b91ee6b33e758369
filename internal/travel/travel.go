// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package travel

import (
	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/ingest"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/internal/write"
)

// OpenCopy loads the chain of a scope from the locked state folder of another copy of the
// memory, called name in errors. The caller closes its store.
type OpenCopy func(in vfs.FS, name string) (*chain.Chain, error)

// History moves a scope through its history.
type History struct {
	scope    *scope.Scope
	rights   *scope.Rules
	writer   *write.Writer
	folder   *ingest.Reader
	openCopy OpenCopy
	slot     chain.Slot[*snapshots] // the snapshots
}

// Of returns the history that the library hands out as a fovea.History.
func Of(h any) *History { return h.(interface{ Inside() *History }).Inside() }

// New returns the history of a writer's scope. Merge opens copies by openCopy.
func New(w *write.Writer, r *scope.Rules, folder *ingest.Reader, openCopy OpenCopy) *History {
	return &History{scope: w.Scope(), rights: r, writer: w, folder: folder, openCopy: openCopy}
}
