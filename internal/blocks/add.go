// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package blocks

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/internal/view"
	"github.com/fovea-memory/fovea/working"
)

// Request adds blocks to the working memory of an agent, and those that its actions leave.
type Request struct {
	Agent   string
	Home    string // what $HOME in a path stands for
	Blocks  []working.Block
	Actions []working.Action
	Remove  []string // ids of blocks that leave in the same commit
	Now     time.Time
}

// Added is a block that was added, or why it was not.
type Added struct {
	ID    string `json:"id" jsonschema:"the id of the block"`
	Error string `json:"error,omitempty" jsonschema:"why this block was not added"`
}

// Add completes blocks, reads their files once, and adds those that are in order, in one
// commit that also sweeps. What is wrong with a block is in its Added; an error is that of
// the whole, or of the only block: Invalid, NotFound, Denied, Locked, and those of Apply.
func (bs *Blocks) Add(ctx context.Context, v *view.View, r Request, opts *scope.WriteOptions) ([]Added, chain.Commit, error) {
	all := r.Blocks
	for _, a := range r.Actions {
		all = append(all, working.FromAction(a)...)
	}
	if len(all) == 0 {
		return nil, chain.Commit{}, fault.Wrap("block", "", fault.Invalid, errors.New("there is nothing to add; give blocks or actions"))
	}
	change, added := Change{Agent: r.Agent, Remove: r.Remove, Sweep: true}, make([]Added, len(all))
	for i, b := range all {
		b.Automatic = false // it is added by somebody
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

// idsOf returns the ids of the notes that handles stand for, and any other name as it is.
func idsOf(v *view.View, names []string) []string {
	ids := slices.Clone(names)
	for i, name := range ids {
		if id, err := v.FormerID(name); err == nil {
			ids[i] = id
		}
	}
	return ids
}

// complete returns a block with its path below the root, its defaults, and the digest of
// its file.
func (f *Files) complete(ctx context.Context, v *view.View, b working.Block, r *Request) (working.Block, error) {
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
