// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api

import (
	"cmp"
	"context"
	"slices"

	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/view"
	"github.com/fovea-memory/fovea/node"
	"github.com/fovea-memory/fovea/query"
)

// Ready-made queries, which a further query may narrow.
const (
	// ActiveProjects are the headlines and documents with the own tag project that are not finished.
	ActiveProjects = "active-projects"
	// Completed are the finished headlines, the latest first; ten if the request has no limit.
	Completed = "completed"
)

// recentlyCompleted is the default limit of Completed.
const recentlyCompleted = 10

func runQuery(ctx context.Context, l *Local, req QueryRequest) ([]Node, error) {
	if err := checkList("query", req.Limit, req.Excerpt); err != nil {
		return nil, err
	}
	e, err := query.Parse(req.Query)
	if err != nil {
		return nil, invalid("query", err)
	}
	v, err := l.viewAt(ctx, req.At)
	if err != nil {
		return nil, err
	}
	nodes, err := namedQuery(l, v, e, req)
	if err != nil {
		return nil, err
	}
	out := listAll(v, nodes)
	for i, n := range nodes {
		out[i] = out[i].withText(n, req.Content, req.Excerpt)
	}
	return out, nil
}

// namedQuery runs the ready-made query that a request names, or the query alone.
func namedQuery(l *Local, v *view.View, e query.Expr, req QueryRequest) ([]*node.Node, error) {
	switch req.Named {
	case "":
		return v.Query(e, req.Limit, l.Options.Now())
	case Completed:
		return v.Completed(e, cmp.Or(req.Limit, recentlyCompleted), l.Options.Now())
	case ActiveProjects:
		projects := map[string]bool{}
		for _, id := range v.ActiveProjects() {
			projects[id] = true
		}
		nodes, err := v.Query(e, 0, l.Options.Now())
		nodes = slices.DeleteFunc(nodes, func(n *node.Node) bool { return !projects[n.ID] })
		return nodes[:min(len(nodes), cmp.Or(req.Limit, len(nodes)))], err
	}
	return nil, fault.Invalidf("query", "no query is named %q: there are %s and %s", req.Named, ActiveProjects, Completed)
}

// holder returns the node that contains an element, and any other node unchanged.
func holder(v *view.View, n *node.Node) *node.Node {
	if _, ok := v.Get(n.ID); ok {
		return n
	}
	if parent, ok := v.Get(n.Parent); ok {
		return parent
	}
	return n
}

// checkList refuses negative limits of a list and of the texts in it.
func checkList(op string, limit, excerpt int) error {
	switch {
	case limit < 0:
		return fault.Invalidf(op, "limit is 0 or more")
	case excerpt < 0:
		return fault.Invalidf(op, "excerpt is 0 or more characters")
	}
	return nil
}
