// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package graph

import (
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/node"
)

// arrange orders the children of every surviving node.
func (m *merge) arrange() {
	here := map[*track][]*track{}
	for _, t := range m.tracks {
		if t.alive && t.parent != nil {
			here[t.parent] = append(here[t.parent], t)
		}
	}
	for p, kids := range here {
		b, w, l := m.children(p, inBase), m.children(p, inWon), m.children(p, inLost)
		if !reordered(b, w, l) && reordered(b, l, w) {
			w, l = l, w
		}
		for _, more := range [][]*track{l, b, kids} {
			w = interleaved(w, more)
		}
		p.kids = w
	}
}

// children returns the children of a version of p that are still its children.
func (m *merge) children(p *track, v int) []*track {
	n := p.versions[v]
	if n == nil {
		return nil
	}
	var out []*track
	for _, id := range n.Kids {
		if k := m.in[v][id]; k != nil && k.alive && k.parent == p {
			out = append(out, k)
		}
	}
	return out
}

// set returns the set of tracks in a list.
func set(list []*track) map[*track]bool {
	out := make(map[*track]bool, len(list))
	for _, t := range list {
		out[t] = true
	}
	return out
}

// reordered reports whether the children common to all three lists have another order in
// a than in base.
func reordered(base, a, b []*track) bool {
	inBase, inA, inB := set(base), set(a), set(b)
	common := func(list []*track) []*track {
		return slices.DeleteFunc(slices.Clone(list), func(t *track) bool { return !inBase[t] || !inA[t] || !inB[t] })
	}
	return !slices.Equal(common(base), common(a))
}

// interleaved adds to a list the tracks that only the other one has: after their
// predecessor there, and after those that only the list has at that place.
func interleaved(list, other []*track) []*track {
	mine, theirs := set(list), set(other)
	behind := map[*track][]*track{}
	var anchor *track
	for _, t := range other {
		if mine[t] {
			anchor = t
		} else {
			behind[anchor] = append(behind[anchor], t)
		}
	}
	out := make([]*track, 0, len(list)+len(other))
	waiting := behind[nil]
	for _, t := range list {
		if theirs[t] {
			out = append(out, waiting...)
			waiting = behind[t]
		}
		out = append(out, t)
	}
	return append(out, waiting...)
}

// written is a document of the result being written.
type written struct {
	text      strings.Builder
	opaque    bool
	last      string                      // the last text written
	count     int                         // of nodes
	conflicts map[int][]document.Conflict // by the number of the node in the document
}

// writeTree writes a node and all below it. No child has more stars than the one before
// it, because it would become a child of that one.
func (m *merge) writeTree(w *written, t *track, level int) {
	text, conflicts := m.text(t, level)
	if len(conflicts) > 0 {
		w.conflicts[w.count] = conflicts
	}
	w.count++
	if w.last != "" && w.last != "\uFEFF" && !strings.HasSuffix(w.last, "\n") && text != "" {
		w.text.WriteByte('\n')
	}
	w.text.WriteString(text)
	if text != "" {
		w.last = text
	}
	before := 0
	for _, k := range t.kids {
		deeper := level + m.steps(k)
		if before > 0 {
			deeper = min(deeper, before)
		}
		m.writeTree(w, k, deeper)
		before = deeper
	}
}

// text returns a node's own text and its conflicts.
func (m *merge) text(t *track, level int) (string, []document.Conflict) {
	b, w, l := t.versions[inBase], t.versions[inWon], t.versions[inLost]
	if w == nil || l == nil {
		w, l = t.any(), t.any()
	}
	merging, format := m.own, m.base.formats.Of(w.Path)
	merging.Secret = document.IsEncrypted(w.Path) || document.IsEncrypted(l.Path)
	var base *document.Part
	if b != nil && !IsGone(b) { // else as if both had added it
		base = b.Part()
	}
	if b != nil {
		merging.Secret = merging.Secret || document.IsEncrypted(b.Path)
	}
	if w.Derived.Opaque || l.Derived.Opaque {
		format = document.Opaque{}
	}
	merged, conflicts := format.Merge(&merging, base, w.Part(), l.Part(), level, t.also...)
	return merged.Content, conflicts
}

// steps returns by how many stars a headline exceeds its parent, usually one.
func (m *merge) steps(t *track) int {
	of := func(v int) int {
		n, p := t.versions[v], m.parent(t, v)
		if n == nil || p == nil || IsGone(n) || IsGone(p.versions[v]) {
			return 0
		}
		return n.Derived.Level - p.versions[v].Derived.Level
	}
	b, w, l := of(inBase), of(inWon), of(inLost)
	switch {
	case w == 0 && l == 0:
		return max(b, 1)
	case w == 0 || w == b && l != 0:
		return l
	}
	return w
}

// located returns the conflicts of a document with the ids that its nodes have now.
func (w *written) located(path string, nodes []*node.Node) []document.Conflict {
	var out []document.Conflict
	for i, n := range nodes {
		for _, c := range w.conflicts[i] {
			c.ID, c.Path = n.ID, path
			out = append(out, c)
		}
	}
	return out
}
