// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/index"
	"github.com/fovea-memory/fovea/internal/recall"
	"github.com/fovea-memory/fovea/internal/travel"
	"github.com/fovea-memory/fovea/internal/view"
	"github.com/fovea-memory/fovea/node"
)

func statusOf(ctx context.Context, l *Local, diagnostics bool) (*Status, error) {
	s := l.On.Status()
	found, err := l.On.Folder().Diagnostics(ctx)
	if err != nil {
		return nil, err
	}
	guarded, err := guardedView(ctx, l)
	if err != nil {
		return nil, err
	}
	g := author.GrantOf(ctx)
	s.Scopes = slices.DeleteFunc(s.Scopes, func(scope string) bool { return !g.Reaches(scope) })
	if !l.ByOwner(ctx) {
		found = slices.DeleteFunc(found, func(p document.Problem) bool { return slices.Contains(guarded.Lockdown(), p.Path) })
	}
	found = append(s.DiagnosticList, found...)
	s.Diagnostics, s.DiagnosticList = len(found), nil
	if diagnostics {
		s.DiagnosticList = found
	}
	for n := range l.On.View().All() { // the id of a headline without one is derived
		if n.Parent != "" && node.IsDerived(n.ID) {
			s.WithoutID++
		}
	}
	s.Drift = list(s.Drift)
	s.Lockdown, s.Unreviewed = list(guarded.Lockdown()), guarded.Unreviewed()
	return &s, nil
}

// guardedView returns what readers may see of the present, without reading the folder first.
func guardedView(ctx context.Context, l *Local) (*view.View, error) {
	v, err := overlaid(ctx, l)
	if err != nil {
		return nil, err
	}
	return l.Memex.Guard().View(ctx, v)
}

// each returns f of each element; the list is never nil.
func each[A, B any](in []A, f func(A) B) []B {
	out := make([]B, len(in))
	for i := range in {
		out[i] = f(in[i])
	}
	return out
}

// maxPaths is the maximum number of files that a commit names.
const maxPaths = 100

func commit(c fovea.Commit) Commit {
	vouchedBy := "asserted"
	switch {
	case c.Vouched:
		vouchedBy = "token"
	case c.Author.Kind == author.File, c.Author.Kind == author.Fovea: // nobody asked
		vouchedBy = ""
	}
	paths := make([]string, 0, min(len(c.Paths), maxPaths))
	for _, path := range c.Paths {
		if !document.IsMemory(path) {
			paths = append(paths, validText(path))
		}
	}
	return Commit{
		Paths: paths[:min(len(paths), maxPaths)], MorePaths: max(0, len(paths)-maxPaths),
		Seq: c.Seq, Commit: c.Digest.String(), Root: c.Root.String(), Author: c.Author.String(), AuthorKind: c.Author.Kind.String(), Session: c.Session,
		Time: c.Time, Kind: c.Kind, Message: c.Message, Changes: c.Changes, Documents: c.Documents, Op: c.Op, VouchedBy: vouchedBy,
	}
}

// withText adds the requested parts of its own text to a node of a list.
func (n Node) withText(of *node.Node, content bool, characters int) Node {
	if characters > 0 {
		n.Excerpt = recall.Excerpt(of, characters)
	}
	if content {
		n.Content = validText(recall.Readable(of))
	}
	return n
}

// showsAll reports whether a hit shows all text of a node: as content, or for a headline by its title and
// the match or else the excerpt, if the list, with this number of bytes, is not cut.
func (h *Hit) showsAll(of *node.Node, content bool, bytes int) bool {
	if content {
		return recall.Readable(of) == of.Content
	}
	_, text, _ := strings.Cut(of.Content, "\n")
	left := cmp.Or(h.Match, h.Excerpt)
	for word := range strings.FieldsSeq(text) {
		after, is := strings.CutPrefix(left, word)
		if !is {
			return false
		}
		left = strings.TrimPrefix(after, " ")
	}
	return of.Type == document.TypeHeadline && left == "" && bytes < travel.MaxUnseen
}

// addMatch adds the line of a node's text that has the most of some words, shortened to a number of characters, if one has any.
func (h *Hit) addMatch(n *node.Node, words *index.Matcher, characters int) {
	line, ok := recall.BestLine(n, words)
	if !ok {
		return
	}
	text := line.Shown()
	h.Match = recall.Clip(text, words.First(text), characters)
	if !document.IsMemory(n.Path) {
		h.MatchLine = h.Line + line.Number
	}
}
