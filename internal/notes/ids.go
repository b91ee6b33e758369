// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package notes

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/merkle"
)

// AssignIDs is that of fovea.Notes.
func (ns *Notes) AssignIDs(ctx context.Context, ids []string, opts *scope.WriteOptions) (c chain.Commit, given []string, err error) {
	c, first, err := ns.perform(ctx, "assign ids", opts, func(e *editing) (err error) {
		given, err = e.assign(ids)
		return err
	})
	switch {
	case err != nil:
		return chain.Commit{}, nil, err
	case first != nil:
		return c, since(first, ids), nil
	}
	return c, given, nil
}

// assign gives ids to nodes without one, and returns the ids of all.
func (e *editing) assign(ids []string) ([]string, error) {
	given, splices, count := map[string]string{}, map[string][]document.Splice{}, 0
	all := slices.Clone(ids)
	for i, id := range ids {
		if given[id] == "" {
			n, err := e.node(id, merkle.Digest{}, change{})
			if err != nil {
				return nil, err
			}
			declares := func(p document.Property) bool { return strings.EqualFold(p.Key, "ID") }
			if given[id] = n.ID; !slices.ContainsFunc(n.Derived.Properties, declares) { // else its own, or one that another node has
				given[id] = uuid.NewString()
				edit := document.SetProperty{Key: "ID", Value: given[id]}
				more, err := e.c.Document(n.Path).Edit(e.c.Headline(n), e.c.Action.Now, edit)
				if err != nil {
					return nil, e.c.Fail(id, fault.Invalid, err)
				}
				splices[n.Path] = append(splices[n.Path], more...)
				count++
			}
		}
		all[i] = given[id]
	}
	for _, name := range slices.Sorted(maps.Keys(splices)) {
		// Each splice lies within the lines of its own headline, so they do not overlap.
		slices.SortFunc(splices[name], func(x, y document.Splice) int { return cmp.Compare(x.Start, y.Start) })
		if err := e.c.Splice(name, e.c.Document(name).Source(), splices[name]); err != nil {
			return nil, err
		}
	}
	e.c.Action.Message = fmt.Sprintf("ids for %d nodes in %d files", count, len(e.c.Paths()))
	return all, nil
}

// since maps ids to their new ids after a commit.
func since(c *graph.Commit, ids []string) []string {
	now := map[string]string{}
	for _, e := range c.Lineage {
		now[e.Old] = e.New
	}
	out := slices.Clone(ids)
	for i, id := range out {
		if id, ok := now[id]; ok {
			out[i] = id
		}
	}
	return out
}
