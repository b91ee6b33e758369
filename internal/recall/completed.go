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
