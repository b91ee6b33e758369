// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package recall

import (
	"slices"
	"time"

	"github.com/fovea-memory/fovea/node"
	"github.com/fovea-memory/fovea/query"
)

// Completed returns the finished headlines that match keep, which may be nil,
// the latest first, at most limit (0: all). What counts is CLOSED, else when the
// text last changed, on the calendar of now's location; equal times keep the
// order of the documents.
func (v View) Completed(keep query.Expr, limit int, now time.Time) ([]*node.Node, error) {
	finished := query.And{Of: []query.Expr{
		query.Pred{Name: "type", Args: []string{node.TypeHeadline}}, query.Pred{Name: "done"}, keep,
	}}
	nodes, err := v.Query(finished, 0, now)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(nodes, func(a, b *node.Node) int {
		return completedAt(b, now.Location()).Compare(completedAt(a, now.Location()))
	})
	if limit > 0 && len(nodes) > limit {
		nodes = nodes[:limit]
	}
	return nodes, nil
}

// completedAt is when a headline was finished, with its digits in UTC as
// timestamps have them.
func completedAt(n *node.Node, where *time.Location) time.Time {
	if closed := readTime(n.Derived.Closed); len(closed) > 0 {
		return closed[0].Start
	}
	t := time.UnixMilli(n.Modified).In(where)
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC)
}
