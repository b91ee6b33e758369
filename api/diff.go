// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"
	"strings"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/node"
)

func (l *local) Diff(ctx context.Context, req DiffRequest) (*Difference, error) {
	from, err := l.since(ctx, req.From)
	if err != nil {
		return nil, err
	}
	to := orElse(req.To, "head")
	if to != "head" {
		if to, err = l.m.Resolve(ctx, to); err != nil {
			return nil, err
		}
	}
	if err := l.sync(ctx); err != nil {
		return nil, err
	}
	a, err := l.m.At(ctx, from)
	if err != nil {
		return nil, err
	}
	b, err := l.m.At(ctx, to)
	if err != nil {
		return nil, err
	}
	return difference(fovea.Diff(a, b), req.Text), nil
}

// since resolves the earlier moment of a difference, before the sync. Without
// one it is the newest snapshot; where there is none yet, what memory holds
// before the sync; in an empty memory, what the sync brings.
func (l *local) since(ctx context.Context, from string) (string, error) {
	if from == "" {
		from = "0"
		if len(l.m.Snapshots()) == 0 {
			from = "head"
		}
		if l.m.View().Head().Seq == 0 {
			if err := l.sync(ctx); err != nil {
				return "", err
			}
		}
	}
	return l.m.Resolve(ctx, from)
}

func difference(d fovea.Difference, text bool) *Difference {
	out := &Difference{Added: []Changed{}, Removed: []Changed{}, Changed: []Changed{}, Moved: []Changed{}}
	was := map[string]string{}
	for _, e := range d.Renamed {
		was[e.New] = e.Old
	}
	for _, n := range d.Added {
		c := changed(n, was[n.ID])
		if text {
			c.Text = unified("", n.Content)
		}
		out.Added = append(out.Added, c)
	}
	for _, n := range d.Removed {
		c := changed(n, "")
		if text {
			c.Text = unified(n.Content, "")
		}
		out.Removed = append(out.Removed, c)
	}
	for _, p := range d.Changed {
		c := changed(p[1], moved(p))
		if text {
			c.Text = unified(p[0].Content, p[1].Content)
		}
		out.Changed = append(out.Changed, c)
	}
	for _, p := range d.Moved {
		out.Moved = append(out.Moved, changed(p[1], moved(p)))
	}
	return out
}

func moved(p [2]*node.Node) string {
	if p[0].Path != p[1].Path {
		return p[0].Path
	}
	if p[0].Parent != p[1].Parent {
		return p[0].Parent
	}
	return ""
}

func changed(n *node.Node, was string) Changed {
	return Changed{ID: n.ID, Title: n.Title(), Path: n.Path, Was: was}
}

// unified writes the lines that left with "-" and those that came with "+",
// with up to two equal lines around them.
func unified(old, now string) string {
	a, b := strings.SplitAfter(old, "\n"), strings.SplitAfter(now, "\n")
	const around = 2
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	var out strings.Builder
	write := func(mark string, lines []string) {
		for _, line := range lines {
			if line != "" {
				out.WriteString(mark + strings.TrimRight(line, "\r\n") + "\n")
			}
		}
	}
	write(" ", a[max(0, head-around):head])
	write("-", a[head:len(a)-tail])
	write("+", b[head:len(b)-tail])
	write(" ", a[len(a)-tail:min(len(a), len(a)-tail+around)])
	return out.String()
}
