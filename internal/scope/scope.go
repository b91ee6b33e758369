// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package scope

import (
	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/corpus"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/internal/view"
)

// Scope is one chain of a memory and the region of the memex folder that it holds. Its
// fields are set once, on opening, except Closed and Recovered, which the chain's writer guards.
type Scope struct {
	Options  Options
	Name     string       // memex, project/NAME or session/ID
	Dir      string       // absolute path of the memex
	StateDir string       // the state folder, "" when Options.Store was given
	Root     *corpus.Root // the files of this scope
	FS       vfs.FS       // the files of the store
	Chain    *chain.Chain
	drift    chain.Slot[Drift]
	Parent   *Scope  // the memex of a project or a session, else nil
	Family   *Family // the open scopes of the memex, shared by all

	Unwritable error // why the state folder of a memex cannot be written, or nil

	Closed    bool
	Recovered string // what recovery or repair did, "" for nothing
}

// View returns an immutable view of the present state: one atomic load.
func (s *Scope) View() *view.View { return s.Chain.Head().Derived.(*view.View) }

// Present returns the newest state.
func (s *Scope) Present() *graph.State { return s.Chain.Head().State }
