// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package recall

import (
	"cmp"
	"slices"
	"time"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/node"
	"github.com/fovea-memory/fovea/query"
)

// Completed is fovea.View.Completed: headlines with a CLOSED timestamp precede those without.
func (v View) Completed(keep query.Expr, limit int, now time.Time) ([]*node.Node, error) {
	finished := query.And{Of: []query.Expr{
		query.Pred{Name: "type", Args: []string{document.TypeHeadline}}, query.Pred{Name: "done"}, keep,
	}}
	nodes, err := v.Query(finished, 0, now)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(nodes, newestFirst)
	if limit > 0 && len(nodes) > limit {
		nodes = nodes[:limit]
	}
	return nodes, nil
}

// newestFirst compares finished headlines.
func newestFirst(a, b *node.Node) int {
	x, y := readTime(a.Derived.Closed), readTime(b.Derived.Closed)
	switch {
	case len(x) > 0 && len(y) > 0:
		return y[0].Start.Compare(x[0].Start)
	case len(x)+len(y) > 0:
		return len(y) - len(x)
	}
	return cmp.Compare(b.Modified, a.Modified)
}

// Newest is fovea.View.Newest: of headlines that one commit changed, a later one in the folder
// comes first, and those inside encrypted text are left out. O(notes of the agent), or O(nodes).
func (v View) Newest(by string, limit int) []*node.Node {
	wanted := query.And{Of: []query.Expr{query.Pred{Name: "type", Args: []string{document.TypeHeadline}}}}
	if by != "" {
		wanted.Of = append(wanted.Of, query.Pred{Name: "property", Args: []string{"AUTHOR", by}})
	}
	nodes, err := v.Query(wanted, 0, time.Time{})
	if err != nil { // no name of an agent is an error
		return nil
	}
	nodes = slices.DeleteFunc(nodes, (*node.Node).Secret)
	slices.Reverse(nodes)
	slices.SortStableFunc(nodes, func(a, b *node.Node) int { return cmp.Compare(b.Modified, a.Modified) })
	return nodes[:min(limit, len(nodes))]
}
