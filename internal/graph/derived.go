// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package graph

import (
	"encoding/binary"
	"fmt"

	"github.com/fovea-memory/fovea/node"
	"github.com/fovea-memory/fovea/org"
)

// Bits of a node's flags in the derived section.
const (
	flagDone = 1 << iota
	flagCommented
	flagArchived
	flagOpaque
	flagEncrypted
)

// appendDerived appends what the parser read from a node's bytes.
func appendDerived(b []byte, d *node.Derived) []byte {
	flags := byte(0)
	for i, f := range []bool{d.Done, d.Commented, d.Archived, d.Opaque, d.Encrypted} {
		if f {
			flags |= 1 << i
		}
	}
	b = append(b, flags)
	b = binary.AppendUvarint(b, uint64(d.Level))
	b = binary.AppendUvarint(b, uint64(d.BodyStart))
	for _, s := range []string{d.Title, d.Todo, d.Priority, d.Scheduled, d.Deadline, d.Closed, d.Category, d.DeclaredID} {
		b = appendString(b, s)
	}
	for _, list := range [][]string{d.Tags, d.Links, d.Setup} {
		b = appendStrings(b, list)
	}
	b = binary.AppendUvarint(b, uint64(len(d.Properties)))
	for _, p := range d.Properties {
		b = appendString(appendString(b, p.Key), p.Value)
	}
	b = binary.AppendUvarint(b, uint64(len(d.TagGroups)))
	for _, g := range d.TagGroups {
		kind := byte(0)
		if g.Exclusive {
			kind = 1
		}
		b = appendStrings(appendString(append(b, kind), g.Name), g.Members)
	}
	return b
}

func appendStrings(b []byte, list []string) []byte {
	b = binary.AppendUvarint(b, uint64(len(list)))
	for _, s := range list {
		b = appendString(b, s)
	}
	return b
}

// rederive reads the derived fields of an image's documents from the bytes.
func rederive(documents [][]*node.Node) error {
	at := make(map[string][]*node.Node, len(documents))
	for _, nodes := range documents {
		at[nodes[0].Path] = nodes
	}
	for i, nodes := range documents {
		path := nodes[0].Path
		fresh, err := node.Rederive(nodes, !node.IsOrg(path), reading(path, func(p string) []*node.Node { return at[p] }))
		if err != nil {
			return fmt.Errorf("image: %s: %w", path, err)
		}
		documents[i] = fresh
	}
	return nil
}

// readDerived gives the nodes the derived fields of the section, and reports
// whether it is whole and of this parser.
func (l *loader) readDerived(section string) bool {
	c := &cursor{s: section}
	if c.uint() != ImageFormat || c.uint() != node.ParserVersion {
		return false
	}
	total := 0
	for _, d := range l.documents {
		total += len(d)
	}
	if c.count(8) != total || c.err != nil {
		return false
	}
	slab := make([]node.Derived, total)
	var words words
	for _, d := range l.documents {
		for _, n := range d {
			readDerived(&slab[0], c, &words)
			n.Derived, slab = &slab[0], slab[1:]
		}
	}
	return c.err == nil && c.at == len(c.s)
}

// words hands out slices cut from large ones.
type words struct {
	strings    []string
	properties []node.Property
}

func (w *words) take(n int) []string {
	if n == 0 {
		return nil
	}
	if len(w.strings) < n {
		w.strings = make([]string, max(n, 1024))
	}
	out := w.strings[:n:n]
	w.strings = w.strings[n:]
	return out
}

func (w *words) takeProperties(n int) []node.Property {
	if n == 0 {
		return nil
	}
	if len(w.properties) < n {
		w.properties = make([]node.Property, max(n, 1024))
	}
	out := w.properties[:n:n]
	w.properties = w.properties[n:]
	return out
}

func readDerived(d *node.Derived, c *cursor, w *words) {
	flags := c.byte()
	d.Done, d.Commented = flags&flagDone != 0, flags&flagCommented != 0
	d.Archived, d.Opaque = flags&flagArchived != 0, flags&flagOpaque != 0
	d.Level, d.BodyStart = int(c.uint()), int(c.uint())
	for _, f := range []*string{&d.Title, &d.Todo, &d.Priority, &d.Scheduled, &d.Deadline, &d.Closed, &d.Category, &d.DeclaredID} {
		*f = c.string()
	}
	d.Encrypted = flags&flagEncrypted != 0
	for _, list := range []*[]string{&d.Tags, &d.Links, &d.Setup} {
		*list = w.read(c)
	}
	d.Properties = w.takeProperties(c.count(2))
	for i := range d.Properties {
		d.Properties[i] = node.Property{Key: c.string(), Value: c.string()}
	}
	for range c.count(3) {
		g := org.TagGroup{Exclusive: c.byte() == 1, Name: c.string()}
		g.Members = w.read(c)
		d.TagGroups = append(d.TagGroups, g)
	}
}

// read reads a counted list of strings.
func (w *words) read(c *cursor) []string {
	list := w.take(c.count(1))
	for i := range list {
		list[i] = c.string()
	}
	return list
}
