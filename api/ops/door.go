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

// The door for states of other machines: a bundle, what a pull brought, and what comes from IPFS are
// histories in a state folder of their own, proved block by block when they were read. Here they are loaded,
// which computes each state again, judged by the rule of paths, and merged or refused whole. A clone (see
// Source) has no memory to come into: the same readers fill its state folder, opening it computes each state
// again, and its files are judged as they are written. If one of these fails, nothing is left of it.

// Brought is what came into a scope from another history.
type Brought struct {
	Scope string `json:"scope" jsonschema:"memex or project/NAME"`
	api.Merged
}

// incoming is the folder, in the state folder, that a bundle is read into.
const incoming = "incoming"

// receive hands the empty incoming folder to do, and removes it when that has ended.
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

// bringing says how another history is brought in; a trial changes nothing, as a dry run. With agents it may
// only have what they did.
type bringing struct {
	replace, memoryOnly, trial bool
	agents                     []string
}

// bringAll brings in the histories of scopes that another state folder has, and hands each to
// took. What cannot be done shows before anything is done.
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

// bring merges the history of a scope in another state folder, or puts its state in place. The
// commit is zero where there was nothing new.
func bring(ctx context.Context, a *api.Local, in vfs.FS, name, called string, how bringing) (b Brought, c fovea.Commit, err error) {
	all, err := a.Memex.Scopes()
	if err != nil || len(how.agents) > 0 && name != scope.Memex && !slices.Contains(all, name) {
		return b, c, cmp.Or(err, fault.Errorf("merge", name, fault.Denied, "a member for agents cannot begin it"))
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
