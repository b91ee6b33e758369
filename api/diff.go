// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api

import (
	"cmp"
	"context"
	"slices"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/history"
	"github.com/fovea-memory/fovea/internal/text"
	"github.com/fovea-memory/fovea/internal/view"
	"github.com/fovea-memory/fovea/node"
)

func compare(ctx context.Context, l *Local, req DiffRequest) (*Difference, error) {
	from, err := earlierMoment(ctx, l, req.From)
	if err != nil {
		return nil, err
	}
	to := cmp.Or(req.To, "head")
	if to != "head" {
		if to, err = l.History().Resolve(ctx, to); err != nil {
			return nil, err
		}
	}
	if err := l.Sync(ctx); err != nil {
		return nil, err
	}
	if v := view.Of(l.On.View()); v.Head().Seq == 0 { // the memory has always been empty
		return difference(v, v, false), nil
	}
	return l.Between(ctx, from, to, req.Text)
}

// Between returns what changed between two resolved moments, as far as the caller may see it.
func (l *Local) Between(ctx context.Context, from, to string, text bool) (*Difference, error) {
	a, err := heldAt(ctx, l, from)
	if err != nil {
		return nil, err
	}
	b, err := heldAt(ctx, l, to)
	if err != nil {
		return nil, err
	}
	v, err := l.Readable(ctx)
	if err != nil {
		return nil, err
	}
	if l.ByOwner(ctx) { // sees all but the text of locked files
		locked := v.Lockdown()
		return withholdTexts(difference(a, b, text), func(c *Changed) bool { return slices.Contains(locked, c.Path) }), nil
	}
	locked := withheld(ctx, l, v, a, b)
	out := difference(a.Without(locked...), b.Without(locked...), text)
	out.Lockdown = differing(a, b, locked)
	return withholdTexts(out, func(c *Changed) bool { return isEncrypted(a, c) || isEncrypted(b, c) }), nil
}

// withheld lists the files that are hidden from other callers than the owner in a comparison of two
// moments: those locked now, and those that the owner did not trust at one of the moments.
func withheld(ctx context.Context, l *Local, now, a, b *view.View) []string {
	locked := now.Lockdown()
	if !seesAll(ctx, l) {
		locked = slices.Concat(locked, l.On.Guard().Untrusted(a), l.On.Guard().Untrusted(b))
	}
	slices.Sort(locked)
	return slices.Compact(locked)
}

// differing lists the paths whose files differ between two moments.
func differing(a, b *view.View, paths []string) []string {
	var out []string
	for _, path := range paths {
		was, had := a.Text(path)
		is, has := b.Text(path)
		if was != is || had != has {
			out = append(out, path)
		}
	}
	return out
}

// earlierMoment resolves the earlier moment of a difference before the sync. The default is the newest
// snapshot, without one the head before the sync, and in an empty memory the head after it.
func earlierMoment(ctx context.Context, l *Local, from string) (string, error) {
	if from == "" {
		from = "0"
		if len(l.History().Snapshots()) == 0 {
			from = "head"
		}
		if l.On.View().Head().Seq == 0 {
			if err := l.Sync(ctx); err != nil {
				return "", err
			}
		}
	}
	return l.History().Resolve(ctx, from)
}

// difference returns what changed between two views; text adds the changed lines.
func difference(a, b *view.View, text bool) *Difference {
	return described(fovea.Diff(a, b), a, b, text)
}

// would returns what a dry run would change, which may be nothing; nil if the call is not a dry run.
func would(l *Local, c fovea.Commit) *Difference {
	if !l.Call.DryRun {
		return nil
	}
	return described(*cmp.Or(c.Would, &history.Difference{}), nil, nil, false)
}

// Would returns what the dry run with this result would change, with text if the request wants that; nil if
// the call is not a dry run. It names notes only to the owner, since some may be withheld from others.
func (l *Local) Would(ctx context.Context, c fovea.Commit) *Difference {
	if !l.ByOwner(ctx) {
		c.Would = &history.Difference{}
	}
	if text, _ := flag(l.Call.Request, "Text"); text && l.Call.DryRun {
		if v, err := l.Readable(ctx); err == nil { // else it is not known what to withhold
			out := described(*cmp.Or(c.Would, &history.Difference{}), view.Of(l.On.View()), nil, true)
			return withholdTexts(out, func(c *Changed) bool { return slices.Contains(v.Lockdown(), c.Path) })
		}
	}
	return would(l, c)
}

// described lists a difference for an answer. Its text needs the two views; without b, changed nodes get their line numbers in a.
func described(d history.Difference, a, b *view.View, text bool) *Difference {
	left, was := map[string]*node.Node{}, map[string]*node.Node{}
	for _, n := range d.Removed {
		left[n.ID] = n
	}
	for _, e := range d.Renamed {
		was[e.New] = left[e.Old]
		delete(left, e.Old)
	}
	var at, now map[*node.Node]int
	if text {
		var before, after []*node.Node
		for was, is := range d.All() {
			before, after = append(before, was), append(after, is)
		}
		if at, now = linesBy(a, before), linesBy(b, after); b == nil {
			for _, p := range d.Changed {
				now[p[1]] = at[p[0]]
			}
		}
	}
	entry := func(from, to *node.Node, was string) Changed {
		n := cmp.Or(to, from)
		c := Changed{ID: n.ID, Title: n.ListedTitle(), Path: n.Path, Was: was}
		if text {
			c.Text = unified(at, now, from, to)
		}
		return c
	}
	both := func(p [2]*node.Node) Changed { return entry(p[0], p[1], moved(p)) }
	return &Difference{
		Added: each(d.Added, func(n *node.Node) Changed {
			return entry(was[n.ID], n, cmp.Or(was[n.ID], &node.Node{}).ID)
		}),
		Removed: each(d.Removed, func(n *node.Node) Changed {
			c := entry(n, nil, "")
			if left[n.ID] == nil { // the lines are with its new id
				c.Text = ""
			}
			return c
		}),
		Changed: each(d.Changed, both), Moved: each(d.Moved, both),
	}
}

func moved(p [2]*node.Node) string {
	switch {
	case p[0].Path != p[1].Path:
		return p[0].Path
	case p[0].Parent != p[1].Parent:
		return p[0].Parent
	}
	return ""
}

// linesBy returns the first line of each node in a view. The view and nodes may be nil.
func linesBy(v *view.View, nodes []*node.Node) map[*node.Node]int {
	by := map[*node.Node]int{}
	if v == nil {
		return by
	}
	nodes = slices.DeleteFunc(nodes, func(n *node.Node) bool { return n == nil })
	for i, line := range linesOf(v, nodes) {
		by[nodes[i]] = line
	}
	return by
}

// unified returns a unified diff of a node's own text, with its old and new line numbers. A nil node did not or does not exist.
func unified(before, after map[*node.Node]int, was, is *node.Node) string {
	from, to := text.Side{Name: "/dev/null", Line: 1}, text.Side{Name: "/dev/null", Line: 1}
	var old, now string
	if was != nil {
		from, old = text.Side{Name: was.Path, Line: before[was]}, was.Content
	}
	if is != nil {
		to, now = text.Side{Name: is.Path, Line: after[is]}, is.Content
	}
	return text.Unified(from, to, old, now)
}

// isEncrypted reports whether the text of a changed node is encrypted in a view.
func isEncrypted(v *view.View, c *Changed) bool {
	return slices.ContainsFunc([]string{c.ID, c.Was}, func(id string) bool {
		n, ok := v.Get(id)
		return ok && (n.Derived.Encrypted || document.IsEncrypted(n.Path))
	})
}

// withholdTexts removes the text of some changes: in locked files, which guard diff shows to the owner, and encrypted text.
func withholdTexts(d *Difference, withheld func(c *Changed) bool) *Difference {
	for _, list := range [][]Changed{d.Added, d.Removed, d.Changed, d.Moved} {
		for i := range list {
			if withheld(&list[i]) {
				list[i].Text = ""
			}
		}
	}
	return d
}
