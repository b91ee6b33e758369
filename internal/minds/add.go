// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package minds

import (
	"context"
	"slices"

	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/internal/view"
	"github.com/fovea-memory/fovea/working"
)

// Add implements fovea.Blocks.Add.
func (bs *Blocks) Add(ctx context.Context, v *view.View, r working.Request, opts *scope.WriteOptions) ([]working.Added, chain.Commit, error) {
	all := slices.Clip(r.Blocks) // the caller keeps its own
	for _, a := range r.Actions {
		all = append(all, working.FromAction(a)...)
	}
	if len(all) == 0 {
		return nil, chain.Commit{}, fault.Invalidf("block", "there is nothing to add; give blocks or actions")
	}
	change, added := working.Change{Agent: r.Agent, Remove: r.Remove, Sweep: true}, make([]working.Added, len(all))
	for i, b := range all {
		b.Automatic = false // the caller adds it
		b, err := bs.files.complete(ctx, v, b, &r)
		if err != nil && len(all) == 1 {
			return nil, chain.Commit{}, err
		}
		if added[i].ID = b.ID; err != nil {
			added[i].Error = err.Error()
			continue
		}
		change.Put = append(change.Put, b)
	}
	c, err := bs.Apply(ctx, change, opts)
	return added, c, err
}

// idsOf replaces handles by the ids of their notes, and returns other names unchanged.
func idsOf(v *view.View, names []string) []string {
	ids := slices.Clone(names)
	for i, name := range ids {
		if id, err := v.FormerID(name); err == nil {
			ids[i] = id
		}
	}
	return ids
}

// complete returns a block with its path below the root, its defaults, and the digest of its file.
func (f *Files) complete(ctx context.Context, v *view.View, b working.Block, r *working.Request) (working.Block, error) {
	b.RelatedIDs = idsOf(v, b.RelatedIDs)
	b, err := f.Locate(b, r.Home)
	if err == nil {
		b, err = b.Complete(r.Now)
	}
	if err == nil {
		b, err = f.Note(ctx, v, b)
	}
	return b, err
}
