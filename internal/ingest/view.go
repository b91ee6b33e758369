// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package ingest

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/internal/guard"
	"github.com/fovea-memory/fovea/internal/view"
	"github.com/fovea-memory/fovea/node"
)

// Withhold returns past, a view of an earlier moment, without the files that the guarded
// view of the present omits: files in lockdown are not served from history either. If
// untrusted is set, it also omits files with text that the owner has never trusted, see
// Untrusted. O(bytes of protected files).
func (g *Guard) Withhold(past, guarded *view.View, untrusted bool) *view.View {
	locked := map[string]guard.State{}
	maps.Copy(locked, guarded.Locked)
	if untrusted {
		for _, path := range g.Untrusted(past) {
			locked[path] = cmp.Or(locked[path], guard.Untrusted)
		}
	}
	if len(locked) == 0 {
		return past
	}
	return view.Without(past, locked, guarded.Unreviewed())
}

// Untrusted lists, sorted, the files of a view that are subject to lockdown and have a text
// that their owner has never trusted, such as a rejected one, or a file that was unreviewed
// at the time. Up to 64 earlier texts of a file count as trusted. O(bytes of protected
// files).
func (g *Guard) Untrusted(v *view.View) []string {
	book := g.rights.Trust().Book
	if !book.Initialized() {
		return nil
	}
	var out []string
	for _, path := range v.Paths() {
		if g.rights.Mode(path) != guard.Lockdown || !g.scope.Root.InRegion(path) {
			continue
		}
		if b := book.Baseline(path); b == nil || !b.Trusts(guard.TextOf(v.Nodes(path))) {
			out = append(out, path)
		}
	}
	slices.Sort(out)
	return out
}

// UntrustedVersion reports whether a version of a node is not the trusted one, in a file
// that is subject to lockdown.
func (g *Guard) UntrustedVersion(n *node.Node) bool {
	if g.rights.Mode(n.Path) != guard.Lockdown {
		return false
	}
	b := g.rights.Trust().Book.Baseline(n.Path)
	return b == nil || !slices.Contains(b.OwnDigests(), n.Own)
}

// guardedView caches a view without the files in lockdown.
type guardedView struct {
	source *view.View
	key    string
	view   *view.View
}

// without removes the files in lockdown from a view.
func (g *Guard) without(v *view.View, found []guard.FileStatus) *view.View {
	locked, unreviewed := map[string]guard.State{}, []string(nil)
	var key strings.Builder
	for i := range found {
		s := &found[i]
		switch {
		case s.Locked():
			locked[s.Path] = s.State
			key.WriteString(s.Path + "\x00" + string(s.State) + "\x00")
		case s.Unreviewed():
			unreviewed = append(unreviewed, s.Path)
			key.WriteString("?" + s.Path + "\x00")
		}
	}
	if c := g.cleared.Load(); c != nil && c.source == v && c.key == key.String() {
		return c.view
	}
	out := view.Without(v, locked, unreviewed)
	g.cleared.Store(&guardedView{v, key.String(), out})
	return out
}
