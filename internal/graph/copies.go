// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package graph

import (
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/internal/champ"
	"github.com/fovea-memory/fovea/node"
)

// copies says which documents are conflict copies: those that are called after a file beside
// them, and share its ids or most of its text. It is a function of the documents alone.
type copies struct {
	named champ.Map[champ.Map[bool]] // path -> documents that can be copies of it by their names
	of    champ.Map[string]          // conflict copy -> the file that it is a copy of
}

// copiesEditor is copies while documents change.
type copiesEditor struct {
	named *champ.Editor[champ.Map[bool]]
	of    *champ.Editor[string]
	moved map[string]bool // documents that became or ceased to be copies
}

func (c *copies) edit() *copiesEditor {
	return &copiesEditor{c.named.Edit(), c.of.Edit(), map[string]bool{}}
}

// sealed returns what the editor holds; it is not used after.
func (e *copiesEditor) sealed() *copies { return &copies{e.named.Map(), e.of.Map()} }

// copies returns the conflict copies of the state. The first call for a state that no draft
// made looks at every name.
func (s *State) copies() *copies {
	s.copiesOnce.Do(func() {
		if s.copied != nil {
			return
		}
		e := (&copies{}).edit()
		for path := range s.documents.All() {
			e.name(path, true)
		}
		for path := range s.documents.All() {
			e.set(path, copyOf(path, func() []*node.Node { return s.Nodes(path) }, s.Nodes))
		}
		s.copied = e.sealed()
	})
	return s.copied
}

// CopyOf returns the path of the file that the document at path is a conflict copy of, ""
// for an ordinary document.
func (s *State) CopyOf(path string) string {
	of, _ := s.copies().of.Get(path)
	return of
}

// Copies yields the conflict copies, each with the file that it is a copy of.
func (s *State) Copies() iter.Seq2[string, string] { return s.copies().of.All() }

// kin returns the conflict copies of the draft.
func (d *Draft) kin() *copiesEditor {
	if d.copied == nil {
		d.copied = d.base.copies().edit()
	}
	return d.copied
}

// name enters a document under the names of its possible originals, or removes it.
func (e *copiesEditor) name(path string, there bool) {
	originals, _ := node.Originals(path)
	for _, of := range originals {
		list, _ := e.named.Get(of)
		if there {
			list = list.Set(path, true)
		} else {
			list = list.Delete(path)
		}
		if e.named.Set(of, list); list.Len() == 0 {
			e.named.Delete(of)
		}
	}
}

// set records what the document at path is a copy of, "" for none.
func (e *copiesEditor) set(path, of string) {
	if was, _ := e.of.Get(path); was == of {
		return
	}
	if e.moved[path] = true; of == "" {
		e.of.Delete(path)
	} else {
		e.of.Set(path, of)
	}
}

// relate determines whether a document that is put is a conflict copy, and returns of what.
// nodes returns the ids and texts that it will have; it is nil if the document is removed.
func (d *Draft) relate(path string, nodes func() []*node.Node) (of string) {
	if _, had := d.documents.Get(path); had != (nodes != nil) {
		d.kin().name(path, nodes != nil)
	}
	if nodes != nil {
		of = copyOf(path, nodes, d.current)
	}
	d.kin().set(path, of)
	return of
}

// rejudge lists the documents, called after the one at path, that its present text makes
// conflict copies or ordinary files.
func (d *Draft) rejudge(path string) (changed []string) {
	named, _ := d.kin().named.Get(path)
	for _, other := range slices.Sorted(maps.Keys(maps.Collect(named.All()))) {
		if was, _ := d.kin().of.Get(other); copyOf(other, func() []*node.Node { return d.current(other) }, d.current) != was {
			changed = append(changed, other)
		}
	}
	return changed
}

// ReadCopies takes ids from conflict copies that bear them, as in states of older versions.
func (d *Draft) ReadCopies() {
	for path := range d.base.Copies() {
		if !d.bearsClaimed(d.current(path), true) {
			d.retry = append(d.retry, path)
		}
	}
	d.settle("")
}

// hasKin reports whether a document of this many bytes is a conflict copy or has one, or could
// become or get one by text that declares no id of another document.
func (d *Draft) hasKin(path string, bytes int) bool {
	near := func(other, copied, of string, marked bool) bool {
		doc, there := d.documents.Get(other)
		was, _ := d.kin().of.Get(copied)
		return there && (marked || was == of || 2*min(bytes, doc.bytes) > max(bytes, doc.bytes))
	}
	originals, marked := node.Originals(path)
	for _, of := range originals {
		if near(of, path, of, marked) {
			return true
		}
	}
	named, _ := d.kin().named.Get(path)
	for other := range named.All() {
		if _, marked := node.Originals(other); near(other, other, path, marked) {
			return true
		}
	}
	return false
}

// copyOf returns what a file of these nodes is a conflict copy of, "" for nothing.
func copyOf(path string, nodes func() []*node.Node, at func(path string) []*node.Node) string {
	originals, marked := node.Originals(path)
	for _, of := range originals {
		there := at(of)
		if there == nil || there[0].IsTree() {
			continue
		}
		if own := nodes(); !own[0].IsTree() && isCopy(own, there, marked) {
			return of
		}
	}
	return ""
}

// isCopy reports whether a document shares with another one an id or most of its own text;
// unless its name alone marks it as a copy, most of its ids or most of the text of both.
func isCopy(copied, original []*node.Node, marked bool) bool {
	theirs := map[string]bool{}
	for _, n := range original {
		theirs[n.Derived.DeclaredID] = true
	}
	ids, shared := 0, 0
	for _, n := range copied {
		if id := n.Derived.DeclaredID; id != "" {
			if ids++; theirs[id] {
				shared++
			}
		}
	}
	if shared > 0 && (marked || 2*shared >= ids) {
		return true
	}
	text, other := node.Join(copied), node.Join(original)
	enough := len(text)
	if !marked {
		enough = max(enough, len(other))
	}
	return 2*min(len(text), len(other)) > enough && 2*sharedBytes(text, other) > enough
}

// sharedBytes returns the size of the lines of a text that another one has, each counted once.
func sharedBytes(text, other string) (size int) {
	lines := map[string]bool{}
	for line := range strings.Lines(other) {
		lines[line] = true
	}
	for line := range strings.Lines(text) {
		if lines[line] {
			size += len(line)
			delete(lines, line)
		}
	}
	return size
}

// claimedID returns the id that a node claims, "" for none. A node of a conflict copy claims
// none that it declares.
func claimedID(n *node.Node, isCopy bool) string {
	switch {
	case !isCopy || n.Derived.DeclaredID == "":
		return n.ClaimedID()
	case n.Parent == "":
		return node.DocumentID(n.Path)
	}
	return ""
}
