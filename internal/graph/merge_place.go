// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package graph

import (
	"cmp"
	"path"
	"strings"

	"github.com/fovea-memory/fovea/document"
)

// settle decides which nodes survive, and their parents.
func (m *merge) settle() {
	for _, t := range m.tracks {
		if t.alive = m.survives(t); t.alive {
			m.place(t)
		}
	}
	for again := true; again; {
		again = m.revive()
		if cycle := m.cycle(); len(cycle) > 0 {
			m.breakCycle(cycle)
			again = true
		}
	}
	taken := map[string]bool{}
	for _, t := range m.tracks {
		if t.alive && t.parent == nil {
			m.file(t, taken)
		}
	}
}

// survives decides whether a node stays: a change wins over a deletion.
func (m *merge) survives(t *track) bool {
	b, w, l := t.versions[inBase], t.versions[inWon], t.versions[inLost]
	switch {
	case b == nil || w != nil && l != nil:
		return true
	case w == nil && l == nil, w == nil && m.own.Undo:
		return false
	}
	v, by := inWon, m.own.Lost
	if w == nil {
		v, by = inLost, m.own.Won
	}
	n := t.versions[v]
	if strings.TrimLeft(n.Content, "*") == strings.TrimLeft(b.Content, "*") && m.parent(t, v) == m.parent(t, inBase) && n.Path == b.Path {
		return false
	}
	t.also = append(t.also, document.Conflict{Field: document.FieldDeleted, By: by})
	return true
}

// parent returns the parent of a version of t; nil for a document.
func (m *merge) parent(t *track, v int) *track {
	n := t.versions[v]
	if n == nil {
		return nil
	}
	return m.in[v][n.Parent]
}

// place chooses the parent of a node.
func (m *merge) place(t *track) {
	b, w, l := m.parent(t, inBase), m.parent(t, inWon), m.parent(t, inLost)
	switch {
	case t.versions[inWon] == nil && t.versions[inLost] == nil:
		t.parent = b
	case t.versions[inWon] == nil:
		t.parent = l
	case t.versions[inLost] == nil || w == l || l == b:
		t.parent = w
	case w == b && t.versions[inBase] != nil:
		t.parent = l
	default:
		t.parent = w
		t.displaced(m.own.Lost, l)
	}
}

// displaced records that a node is not where a side has put it.
func (t *track) displaced(by string, lost *track) {
	t.also = append(t.also, document.Conflict{Field: document.FieldPlace, By: by, Kept: t.parent.name(), Lost: lost.name()})
}

// name returns the name of a place for a conflict.
func (t *track) name() string {
	if t == nil {
		return ""
	}
	n := t.any()
	if n.Type == document.TypeDocument {
		return n.Path
	}
	return n.Path + ": " + n.Title()
}

// revive restores deleted parents of surviving nodes.
func (m *merge) revive() bool {
	any := false
	for _, t := range m.tracks {
		if !t.alive {
			continue
		}
		for p := t.parent; p != nil && !p.alive; p = p.parent {
			by := m.own.Lost
			if p.versions[inWon] == nil {
				by = m.own.Won
			}
			p.alive, any = true, true
			p.also = append(p.also, document.Conflict{Field: document.FieldDeleted, By: by})
			m.place(p)
		}
	}
	return any
}

// cycle returns the nodes of a cycle; nil if there is none.
func (m *merge) cycle() []*track {
	seen := make(map[*track]int, len(m.tracks))
	for i, t := range m.tracks {
		at := t
		for ; at != nil && at.alive && seen[at] == 0; at = at.parent {
			seen[at] = i + 1
		}
		if at == nil || !at.alive || seen[at] != i+1 {
			continue
		}
		cycle := []*track{at}
		for c := at.parent; c != at; c = c.parent {
			cycle = append(cycle, c)
		}
		return cycle
	}
	return nil
}

// breakCycle undoes the moves of the losing side that formed a cycle.
func (m *merge) breakCycle(cycle []*track) {
	opened := false
	for _, t := range cycle {
		back := cmp.Or(m.parent(t, inWon), m.parent(t, inBase))
		if back == nil || back == t.parent {
			continue
		}
		lost := t.parent
		t.parent = back
		t.displaced(m.own.Lost, lost)
		opened = true
	}
	if opened {
		return
	}
	t := cycle[0] // both sides are acyclic, so this does not happen; a document is always a valid place
	for v := range t.versions {
		if n := t.versions[v]; n != nil {
			if d, ok := m.states()[v].Document(n.Path); ok {
				t.parent = m.in[v][d.ID]
			}
		}
	}
}

// file chooses the path of a document. A second one of the same path gets another name.
func (m *merge) file(t *track, taken map[string]bool) {
	b, w, l := t.versions[inBase], t.versions[inWon], t.versions[inLost]
	t.path = t.any().Path
	if b != nil && w != nil && l != nil && w.Path == b.Path {
		t.path = l.Path
	} else if b != nil && w != nil && l != nil && l.Path != b.Path && l.Path != w.Path {
		t.also = append(t.also, document.Conflict{Field: document.FieldPlace, By: m.own.Lost, Kept: w.Path, Lost: l.Path})
	}
	if wished := t.path; taken[wished] {
		own := t.any().Own.String()
		ext := path.Ext(t.path)
		t.path = strings.TrimSuffix(t.path, ext) + "-" + own[len(own)-8:] + ext
		t.also = append(t.also, document.Conflict{Field: document.FieldPlace, By: m.own.Won, Kept: t.path, Lost: wished})
	}
	taken[t.path] = true
}
