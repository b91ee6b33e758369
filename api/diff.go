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
	if v := view.Of(l.On.View()); v.Head().Seq == 0 { // nothing has ever been there
		return difference(v, v, false), nil
	}
	return l.Between(ctx, from, to, req.Text)
}

// Between says what lies between two moments that are named whole, as the caller may see it.
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
	if l.ByOwner(ctx) { // who sees all but the text of what is locked down
		locked := v.Lockdown()
		return withholdTexts(difference(a, b, text), func(c *Changed) bool { return slices.Contains(locked, c.Path) }), nil
	}
	locked := withheld(ctx, l, v, a, b)
	out := difference(a.Without(locked...), b.Without(locked...), text)
	out.Lockdown = differing(a, b, locked)
	return withholdTexts(out, func(c *Changed) bool { return isEncrypted(a, c) || isEncrypted(b, c) }), nil
}

// withheld lists the files that a caller who is not the owner does not see in a
// comparison of two moments: what is locked down now, and what the owner did not trust
// at one of them.
func withheld(ctx context.Context, l *Local, now, a, b *view.View) []string {
	locked := now.Lockdown()
	if !seesAll(ctx, l) {
		locked = slices.Concat(locked, l.On.Guard().Untrusted(a), l.On.Guard().Untrusted(b))
	}
	slices.Sort(locked)
	return slices.Compact(locked)
}

// differing lists those of the files that are not the same at two moments.
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

// earlierMoment resolves the earlier moment of a difference, before the sync. Without
// one it is the newest snapshot; where there is none yet, what memory holds
// before the sync; in an empty memory, what the sync brings.
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

// difference says what lies between two views; text adds what it is line by line.
func difference(a, b *view.View, text bool) *Difference {
	return described(fovea.Diff(a, b), a, b, text)
}

// would says what a dry run would change, which may be nothing; nil for a call that is none.
func would(l *Local, c fovea.Commit) *Difference {
	if !l.Call.DryRun {
		return nil
	}
	return described(*cmp.Or(c.Would, &history.Difference{}), nil, nil, false)
}

// Would says what the dry run that returned a commit would change, with text if the request wants
// that; nil for a commit that was made. To another than the owner it names no note, since some may be
// withheld.
func (l *Local) Would(ctx context.Context, c fovea.Commit) *Difference {
	if !l.ByOwner(ctx) {
		c.Would = &history.Difference{}
	}
	if text, _ := flag(l.Call.Request, "Text"); text && l.Call.DryRun {
		if v, err := l.Readable(ctx); err == nil { // else it cannot be said what is withheld
			out := described(*cmp.Or(c.Would, &history.Difference{}), view.Of(l.On.View()), nil, true)
			return withholdTexts(out, func(c *Changed) bool { return slices.Contains(v.Lockdown(), c.Path) })
		}
	}
	return would(l, c)
}

// described is a difference in words. The views that it is between are needed for its text; without
// b, what would change has the lines that it has in a.
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

// linesBy returns the lines that nodes begin at in a view, by node. Neither view nor nodes need be there.
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

// unified writes what became of a node's own text, with the lines of the files it
// stood and stands in. nil is a node that was or is not.
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

// withholdTexts takes out what changed in some nodes: in files that are locked down, of which
// guard diff tells their owner, and in encrypted text.
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
