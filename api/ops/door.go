// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package ops

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/internal/travel"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// All states of other machines enter here: a bundle, a pull, and an archive on IPFS each are histories in a state
// folder of their own, whose blocks were verified when they were read. They are loaded, which computes each state
// again, checked by the rule of paths, and merged or refused as a whole. A clone (see Source) has no memory yet: the
// same readers fill its state folder, opening it computes each state again, and its paths are checked as files are written.

// Brought is what was merged into a scope from another history.
type Brought struct {
	Scope string `json:"scope" jsonschema:"memex or project/NAME"`
	api.Merged
}

// incoming is the folder, in the state folder, that a bundle is read into.
const incoming = "incoming"

// receive calls do with the empty incoming folder, and removes the folder afterwards.
func receive(ctx context.Context, a *api.Local, do func(in vfs.FS) error) (err error) {
	done, err := turn(ctx, a)
	if err != nil {
		return err
	}
	defer done()
	state := a.Memex.Histories().State
	if err := vfs.RemoveAll(state, incoming); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, vfs.RemoveAll(state, incoming)) }()
	in, err := vfs.Sub(state, incoming)
	if err != nil {
		return err
	}
	return do(in)
}

// bringing says how another history is merged; a trial changes nothing, like a dry run. With agents, it may contain
// only commits by them.
type bringing struct {
	replace, memoryOnly, trial bool
	agents                     []string
}

// bringAll merges the histories of scopes from another state folder, and passes each result to took. Several are tried
// first, so that a refused one prevents all.
func bringAll(ctx context.Context, a *api.Local, in vfs.FS, scopes []string, called string, how bringing, took func(Brought, fovea.Commit) error) error {
	if trial := how; len(scopes) > 1 && !a.Call.DryRun {
		trial.trial = true
		for _, name := range scopes {
			if _, _, err := bring(ctx, a, in, name, called, trial); err != nil {
				return err
			}
		}
	}
	for _, name := range scopes {
		b, c, err := bring(ctx, a, in, name, called, how)
		if err == nil {
			err = took(b, c)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// bring merges the history of a scope in another state folder, or makes its state the present one. The commit is zero
// if there was nothing new.
func bring(ctx context.Context, a *api.Local, in vfs.FS, name, called string, how bringing) (b Brought, c fovea.Commit, err error) {
	all, err := a.Memex.Scopes()
	if err != nil || len(how.agents) > 0 && name != scope.Memex && !slices.Contains(all, name) {
		return b, c, cmp.Or(err, fault.Errorf("merge", name, fault.Denied, "a member that acts for agents cannot create a scope"))
	}
	on, err := a.InScope(ctx, name)
	if err != nil {
		return b, c, err
	}
	opts := a.Write()
	opts.MemoryOnly, opts.DryRun = how.memoryOnly, opts.DryRun || how.trial
	var files []string
	var conflicts []document.Conflict
	if how.replace || on.On.View().Head().Seq == 0 && len(how.agents) == 0 {
		c, files, err = travel.RestoreStore(ctx, on.History(), in, called, opts)
	} else {
		c, files, conflicts, err = travel.MergeStore(ctx, on.History(), in, called, opts, how.agents...)
	}
	if err != nil {
		return b, c, err
	}
	return Brought{name, on.Merged(ctx, c, files, conflicts)}, c, nil
}
