// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package graph

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

// note is a headline, or with level 0 a document, of a folder that is drawn: the
// naive side of the tests of merging.
type note struct {
	id, title, todo, priority, scheduled, deadline string
	tags, body                                     []string
	properties                                     map[string]string
	kids                                           []*note
}

// memex is a drawn folder.
type memex struct {
	files map[string]*note
	draw  *rand.Rand
	named bool // every note has an id
	who   string
	fresh int
}

func drawMemex(r *rand.Rand, named bool) *memex {
	m := &memex{files: map[string]*note{}, draw: r, named: named, who: "b"}
	for _, p := range []string{"a.org", "b.org"} {
		m.files[p] = &note{title: m.word()}
		if r.IntN(2) == 0 {
			m.files[p].id = "id-" + m.files[p].title
		}
		for range r.IntN(6) {
			m.insert()
		}
	}
	return m
}

func (m *memex) word() string {
	m.fresh++
	return fmt.Sprintf("%s%d", m.who, m.fresh)
}

func (m *memex) pick(words ...string) string { return words[m.draw.IntN(len(words))] }

// clone returns a deep copy that words of its own come to.
func (m *memex) clone(who string, r *rand.Rand) *memex {
	c := &memex{files: map[string]*note{}, draw: r, named: m.named, who: who}
	for p, n := range m.files {
		c.files[p] = n.clone()
	}
	return c
}

func (n *note) clone() *note {
	c := *n
	c.tags, c.body, c.properties = slices.Clone(n.tags), slices.Clone(n.body), maps.Clone(n.properties)
	c.kids = nil
	for _, k := range n.kids {
		c.kids = append(c.kids, k.clone())
	}
	return &c
}

// all lists the notes below the documents, and the documents.
func (m *memex) all() (notes, documents []*note) {
	var walk func(n *note)
	walk = func(n *note) {
		for _, k := range n.kids {
			notes = append(notes, k)
			walk(k)
		}
	}
	for _, p := range slices.Sorted(maps.Keys(m.files)) {
		documents = append(documents, m.files[p])
		walk(m.files[p])
	}
	return notes, documents
}

func (m *memex) insert() {
	n := &note{title: m.word(), properties: map[string]string{}}
	if m.named || m.draw.IntN(2) == 0 {
		n.id = "id-" + n.title
	}
	for range m.draw.IntN(4) {
		n.body = append(n.body, m.word())
	}
	if m.draw.IntN(2) == 0 {
		n.tags = []string{m.pick("x", "y", "z")}
	}
	m.hang(n)
}

// hang puts a note somewhere.
func (m *memex) hang(n *note) {
	notes, documents := m.all()
	where := append(notes, documents...)
	p := where[m.draw.IntN(len(where))]
	p.kids = slices.Insert(p.kids, m.draw.IntN(len(p.kids)+1), n)
}

// cut takes a note out.
func (m *memex) cut(n *note) {
	notes, documents := m.all()
	for _, p := range append(notes, documents...) {
		p.kids = slices.DeleteFunc(p.kids, func(k *note) bool { return k == n })
	}
}

// change edits something at random.
func (m *memex) change() {
	notes, documents := m.all()
	if len(notes) == 0 {
		m.insert()
		return
	}
	n := notes[m.draw.IntN(len(notes))]
	switch m.draw.IntN(15) {
	case 14:
		m.file()
	case 0:
		m.insert()
	case 1:
		m.cut(n)
	case 2, 3:
		m.cut(n)
		m.hang(n)
	case 4:
		n.title = m.word()
	case 5:
		n.todo = m.pick("", "TODO", "NEXT", "DONE")
	case 6:
		n.priority = m.pick("", "A", "B", "C")
	case 7:
		n.tags = m.toggled(n.tags)
	case 8:
		n.scheduled = m.pick("", "<2026-01-01 Thu>", "<2026-02-02 Mon>")
		n.deadline = m.pick(n.deadline, n.deadline, "<2026-03-03 Tue>")
	case 9:
		key := m.pick("P", "Q", "R")
		if n.properties[key] = m.word(); m.draw.IntN(4) == 0 {
			delete(n.properties, key)
		}
	case 10:
		d := documents[m.draw.IntN(len(documents))]
		d.body = m.edited(d.body)
	default:
		n.body = m.edited(n.body)
	}
}

// file brings a file, takes one away or gives it another name.
func (m *memex) file() {
	paths := slices.Sorted(maps.Keys(m.files))
	p, fresh := paths[m.draw.IntN(len(paths))], m.pick("c.org", "d.org", "e.org")
	switch {
	case m.files[fresh] == nil && m.draw.IntN(2) == 0:
		m.files[fresh] = m.files[p]
		delete(m.files, p)
	case m.files[fresh] == nil:
		m.files[fresh] = &note{title: m.word()}
	case len(paths) > 1:
		delete(m.files, p)
	}
}

func (m *memex) toggled(tags []string) []string {
	tag := m.pick("x", "y", "z")
	if i := slices.Index(tags, tag); i >= 0 {
		return slices.Delete(slices.Clone(tags), i, i+1)
	}
	return append(slices.Clone(tags), tag)
}

func (m *memex) edited(lines []string) []string {
	lines = slices.Clone(lines)
	at := m.draw.IntN(len(lines) + 1)
	switch {
	case at == len(lines) || m.draw.IntN(3) == 0:
		return slices.Insert(lines, at, m.word())
	case m.draw.IntN(2) == 0:
		return slices.Delete(lines, at, at+1)
	}
	lines[at] = m.word()
	return lines
}

// state ingests the folder.
func (m *memex) state() *State {
	f := folder{}
	for p, n := range m.files {
		var b strings.Builder
		n.write(&b, 0)
		f[p] = b.String()
	}
	return fresh(f, sorted(f))
}

func (n *note) write(b *strings.Builder, level int) {
	if level > 0 {
		b.WriteString(strings.Repeat("*", level))
		for _, word := range []string{n.todo, bracket("[#", n.priority, "]"), n.title, bracket(":", strings.Join(n.tags, ":"), ":")} {
			if word != "" {
				b.WriteString(" " + word)
			}
		}
		b.WriteString("\n")
		if n.scheduled+n.deadline != "" {
			plan := strings.TrimSpace(bracket("SCHEDULED: ", n.scheduled, " ") + bracket("DEADLINE: ", n.deadline, ""))
			b.WriteString(plan + "\n")
		}
		if n.id != "" || len(n.properties) > 0 {
			b.WriteString(":PROPERTIES:\n" + bracket(":ID: ", n.id, "\n"))
			for _, k := range slices.Sorted(maps.Keys(n.properties)) {
				fmt.Fprintf(b, ":%s: %s\n", k, n.properties[k])
			}
			b.WriteString(":END:\n")
		}
	} else {
		if n.id != "" {
			b.WriteString(":PROPERTIES:\n:ID: " + n.id + "\n:END:\n")
		}
		b.WriteString("#+TITLE: " + n.title + "\n#+TODO: TODO NEXT | DONE\n")
	}
	for _, line := range n.body {
		b.WriteString(line + "\n")
	}
	for _, k := range n.kids {
		k.write(b, level+1)
	}
}

// bracket puts text around a word, "" around none.
func bracket(before, word, after string) string {
	if word == "" {
		return ""
	}
	return before + word + after
}
