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
