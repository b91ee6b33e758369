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
func (ns *Notes) AssignIDs(ctx context.Context, ids []string, opts *scope.WriteOptions) (chain.Commit, []string, error) {
	var a assignment
	c, first, err := ns.perform(ctx, "assign ids", opts, func(e *editing) error {
		a = assignment{e: e, given: make([]string, len(ids)), splices: map[string][]document.Splice{}}
		return a.run(ids)
	})
	switch {
	case err != nil:
		return chain.Commit{}, nil, err
	case first != nil:
		return c, since(first, ids), nil
	}
	return c, a.given, nil
}

// assignment is one run of AssignIDs.
type assignment struct {
	e       *editing
	given   []string                     // in the order of the request
	splices map[string][]document.Splice // by path
	count   int
}

func (a *assignment) run(ids []string) error {
	done := map[string]string{}
	for k, id := range ids {
		if _, again := done[id]; !again {
			given, err := a.assign(id)
			if err != nil {
				return err
			}
			done[id] = given
		}
		a.given[k] = done[id]
	}
	for _, name := range slices.Sorted(maps.Keys(a.splices)) {
		// Each splice lies within the lines of its own headline, so they do not overlap.
		slices.SortFunc(a.splices[name], func(x, y document.Splice) int { return cmp.Compare(x.Start, y.Start) })
		if err := a.e.c.Splice(name, a.e.c.Document(name).Source(), a.splices[name]); err != nil {
			return err
		}
	}
	a.e.c.Action.Message = fmt.Sprintf("ids for %d nodes in %d files", a.count, len(a.e.c.Paths()))
	return nil
}

// assign prepares the id of one node and returns it.
func (a *assignment) assign(id string) (string, error) {
	n, err := a.e.node(id, merkle.Digest{}, change{})
	if err != nil {
		return "", err
	}
	doc, i := a.e.c.Document(n.Path), a.e.c.Headline(n)
	for _, p := range n.Derived.Properties {
		if strings.EqualFold(p.Key, "ID") {
			return n.ID, nil // its own ID, or one that another node has: left as it is
		}
	}
	given := uuid.NewString()
	splices, err := doc.Edit(i, a.e.c.Action.Now, document.SetProperty{Key: "ID", Value: given})
	if err != nil {
		return "", a.e.c.Fail(id, fault.Invalid, err)
	}
	a.splices[n.Path] = append(a.splices[n.Path], splices...)
	a.count++
	return given, nil
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
