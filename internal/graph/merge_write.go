// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package graph

import (
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/node"
)

// arrange puts the children of every living node in order.
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
			w = woven(w, more)
		}
		p.kids = w
	}
}

// children lists the children that a version of p has and that stand there still.
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

// set is some tracks, to look up in.
func set(list []*track) map[*track]bool {
	out := make(map[*track]bool, len(list))
	for _, t := range list {
		out[t] = true
	}
	return out
}

// reordered reports whether the children that all three lists have stand in a
// otherwise than in base.
func reordered(base, a, b []*track) bool {
	inBase, inA, inB := set(base), set(a), set(b)
	common := func(list []*track) []*track {
		return slices.DeleteFunc(slices.Clone(list), func(t *track) bool { return !inBase[t] || !inA[t] || !inB[t] })
	}
	return !slices.Equal(common(base), common(a))
}

// woven adds to a list what only the other one has: behind what stands before it
// there, and behind what only the list has at that place.
func woven(list, other []*track) []*track {
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

// written is a document of the result on its way.
type written struct {
	text      strings.Builder
	opaque    bool
	last      string                  // what was written last
	count     int                     // of nodes
	conflicts map[int][]node.Conflict // by the number of the node in the document
}

func (m *merge) write(document *track) *written {
	w := &written{opaque: document.any().Derived.Opaque, conflicts: map[int][]node.Conflict{}}
	m.writeTree(w, document, 0)
	return w
}

// writeTree writes a node and all below it. No child has more stars than the one
// before it, which would take it for its own.
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

// text is a node's own text, and what is in conflict in it.
func (m *merge) text(t *track, level int) (string, []node.Conflict) {
	w, l := t.versions[inWon], t.versions[inLost]
	if w == nil || l == nil {
		w, l = t.any(), t.any()
	}
	return m.own.Own(t.versions[inBase], w, l, level, t.also...)
}

// steps is how many stars more than its parent a headline has: one, as a rule.
func (m *merge) steps(t *track) int {
	of := func(v int) int {
		n, p := t.versions[v], m.parent(t, v)
		if n == nil || p == nil {
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

// told gives the conflicts of a document the ids that its nodes have now.
func (w *written) told(path string, nodes []*node.Node) []node.Conflict {
	var out []node.Conflict
	for i, n := range nodes {
		for _, c := range w.conflicts[i] {
			c.ID, c.Path = n.ID, path
			out = append(out, c)
		}
	}
	return out
}
