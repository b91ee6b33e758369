// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package graph

import (
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/champ"
	"github.com/fovea-memory/fovea/node"
)

// Bits of a node's flags in the derived section.
const (
	flagDone = 1 << iota
	flagCommented
	flagArchived
	flagOpaque
	flagEncrypted
	flagDeclared // the declared id is the node's
)

// appendDerived appends the derived fields of a node. Most are substrings of its content, written as an offset.
func appendDerived(b []byte, n *node.Node) []byte {
	d := n.Derived
	flags := byte(0)
	for i, f := range []bool{d.Done, d.Commented, d.Archived, d.Opaque, d.Encrypted, d.DeclaredID != "" && d.DeclaredID == n.ID} {
		if f {
			flags |= 1 << i
		}
	}
	b = append(b, flags)
	b = binary.AppendUvarint(b, uint64(d.Level))
	b = binary.AppendUvarint(b, uint64(d.BodyStart))
	for _, s := range []string{d.Title, d.Todo, d.Priority, d.Scheduled, d.Deadline, d.Closed, d.Category} {
		b = appendQuote(b, n.Content, s)
	}
	if flags&flagDeclared == 0 {
		b = appendQuote(b, n.Content, d.DeclaredID)
	}
	for _, list := range [][]string{d.Tags, d.Links, d.Setup} {
		b = appendQuotes(b, n.Content, list)
	}
	b = binary.AppendUvarint(b, uint64(len(d.Properties)))
	for _, p := range d.Properties {
		b = appendQuote(appendQuote(b, n.Content, p.Key), n.Content, p.Value)
	}
	b = binary.AppendUvarint(b, uint64(len(d.TagGroups)))
	for _, g := range d.TagGroups {
		kind := byte(0)
		if g.Exclusive {
			kind = 1
		}
		b = appendQuotes(appendQuote(append(b, kind), n.Content, g.Name), n.Content, g.Members)
	}
	return b
}

// A quote is a string that is usually a substring of a content: the empty string is 0; a
// substring is twice its length plus 1, and its offset; any other string is twice its
// length, and its bytes.
const (
	maxQuoteOffset = 1 << 10 // offset up to which a string is searched for
	minQuote       = 3       // minimum length of a string to search for
)

func appendQuote(b []byte, content, s string) []byte {
	if len(s) >= minQuote {
		if at := strings.Index(content[:min(len(content), maxQuoteOffset)], s); at >= 0 {
			return binary.AppendUvarint(binary.AppendUvarint(b, uint64(len(s))<<1|1), uint64(at))
		}
	}
	return append(binary.AppendUvarint(b, uint64(len(s))<<1), s...)
}

func appendQuotes(b []byte, content string, list []string) []byte {
	b = binary.AppendUvarint(b, uint64(len(list)))
	for _, s := range list {
		b = appendQuote(b, content, s)
	}
	return b
}

// quote decodes the output of appendQuote for the same content.
func (c *cursor) quote(content string) string {
	size := c.uint()
	if size&1 == 0 {
		return c.take(size >> 1)
	}
	size >>= 1
	at := c.uint()
	if at > uint64(len(content)) || size > uint64(len(content))-at {
		c.fail()
		return ""
	}
	return content[at : at+size]
}

// rederive derives the fields of an image's documents from their bytes.
func (w *whole) rederive() error {
	at := make(map[string][]*node.Node, len(w.documents))
	for _, nodes := range w.documents {
		at[nodes[0].Path] = nodes
	}
	w.nodes, w.entries = w.nodes[:0], w.entries[:0]
	for i, nodes := range w.documents {
		path := nodes[0].Path
		fresh, err := node.Rederive(w.formats, nodes, filesOf(func(p string) []*node.Node { return at[p] }))
		if err != nil {
			return fmt.Errorf("image: %s: %w", path, err)
		}
		w.documents[i] = fresh
		for _, n := range fresh {
			w.nodes, w.entries = append(w.nodes, n), append(w.entries, champ.NewEntry(n.ID, n))
		}
	}
	return nil
}

// parserMark identifies the parser and its formats: fields derived under another mark are
// derived again. Without settings it is document.ParserVersion, which stays below 1<<8.
func parserMark(formats document.Formats) uint64 {
	return formats.Fingerprint()<<8 | document.ParserVersion
}

// beginDerived reads the head of a derived section: the number of strings in lists, and of properties. A
// section of another parser or number of nodes yields no derived fields for the part.
func (l *loader) beginDerived(section string, nodes int) (strings, properties int) {
	l.extras.s = section
	c := &l.extras
	if c.uint() != ImageFormat || c.uint() != parserMark(l.formats) || c.count(smallestDerived) != nodes {
		c.fail()
	}
	strings, properties = c.count(1), c.count(2)
	if l.whole = c.err == nil; !l.whole {
		return 0, 0
	}
	return strings, properties
}

// smallestDerived is the minimum number of bytes of the derived fields of a node.
const smallestDerived = 15

// derive sets the derived fields of a document's nodes from the section, and reports
// whether they are undamaged.
func (l *loader) derive(nodes []*node.Node) bool {
	for i, n := range nodes {
		n.Derived = &l.derived[i]
		l.words.derive(n, &l.extras)
		l.lost = l.lost || loses(n)
	}
	l.derived = l.derived[len(nodes):]
	return l.extras.err == nil
}

// words allocates slices from slabs, whose sizes are in the derived sections.
type words struct {
	strings    []string
	properties []document.Property
}

// cut returns the first n items of a list, nil for none, or false if there are fewer.
func cut[T any](list *[]T, n int) ([]T, bool) {
	if n == 0 || n > len(*list) {
		return nil, n == 0
	}
	out := (*list)[:n:n]
	*list = (*list)[n:]
	return out, true
}

func (w *words) derive(n *node.Node, c *cursor) {
	d, content := n.Derived, n.Content
	flags := c.byte()
	d.Done, d.Commented = flags&flagDone != 0, flags&flagCommented != 0
	d.Archived, d.Opaque = flags&flagArchived != 0, flags&flagOpaque != 0
	d.Encrypted = flags&flagEncrypted != 0
	d.Level, d.BodyStart = int(c.uint()), int(c.uint())
	for _, f := range []*string{&d.Title, &d.Todo, &d.Priority, &d.Scheduled, &d.Deadline, &d.Closed, &d.Category} {
		*f = c.quote(content)
	}
	if d.DeclaredID = n.ID; flags&flagDeclared == 0 {
		d.DeclaredID = c.quote(content)
	}
	for _, list := range []*[]string{&d.Tags, &d.Links, &d.Setup} {
		*list = w.read(c, content)
	}
	var enough bool
	if d.Properties, enough = cut(&w.properties, c.count(2)); !enough {
		c.fail()
	}
	for i := range d.Properties {
		d.Properties[i] = document.Property{Key: c.quote(content), Value: c.quote(content)}
	}
	for range c.count(3) {
		g := document.TagGroup{Exclusive: c.byte() == 1, Name: c.quote(content)}
		g.Members = w.read(c, content)
		d.TagGroups = append(d.TagGroups, g)
	}
}

// read reads a counted list of strings.
func (w *words) read(c *cursor, content string) []string {
	list, enough := cut(&w.strings, c.count(1))
	if !enough {
		c.fail()
	}
	for i := range list {
		list[i] = c.quote(content)
	}
	return list
}
