// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package render

import (
	"cmp"
	"sync"
	"sync/atomic"

	"github.com/fovea-memory/fovea/window/choose"
)

// maxKept is how many bytes a Cache keeps, maxPiece those of one text in it.
const (
	maxKept  = 64 << 20
	maxPiece = 1 << 20
)

// Cache bounds what documents keep of their rendered nodes, to 64 MB. When it is more, all of
// it goes, and the next windows render what they show. It is safe for concurrent use.
type Cache struct {
	mu    sync.Mutex
	texts map[*Kept]*Texts
	bytes int
	limit int // 0 means maxKept
}

// Kept is what a document keeps of its rendered nodes, nothing if it is zero. It is safe for
// concurrent use, and goes with the document.
type Kept struct{ texts atomic.Pointer[Texts] }

// Style is what a text depends on besides its document, its handle and its reader.
type Style struct {
	Counter  string
	Renderer Renderer
}

// Texts are the rendered nodes of one document, in one style. They are safe for concurrent use.
type Texts struct {
	of     *Kept
	style  Style
	cache  counter
	bytes  int                     // guarded by that of cache
	pieces []atomic.Pointer[Piece] // by node, at level Title and Full
	words  []atomic.Pointer[string]
}

// counter counts what is kept.
type counter interface {
	// keep stores something of a size, unless the texts were dropped; store returns the size of
	// what was there before.
	keep(t *Texts, size int, store func() int)
}

// Piece is the text of a node at a level. It is not changed but for its Names.
type Piece struct {
	Text          string
	Tokens        int
	Handle, Title string
	// Author is who wrote the node if the text names it to others only, "" for nobody; Asks
	// is set if the text is the one for its author.
	Author string
	Asks   bool
	// Names are those of the source in which Handle is known to be that of the node.
	Names atomic.Pointer[Names]
}

// Names stands for the handles of all nodes of a source, and keeps nothing alive: as long as a
// source has the same one, it has the same handles.
type Names struct{ _ byte }

// IsFor reports whether the text is the one for a reader.
func (p *Piece) IsFor(reader string) bool { return p.Author == "" || (p.Author == reader) == p.Asks }

// Texts returns the rendered nodes of a document with so many nodes, in a style. A document
// keeps those of the latest style.
func (c *Cache) Texts(k *Kept, style Style, nodes int) *Texts {
	if t := k.texts.Load(); t != nil && t.style == style {
		return t
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.texts == nil {
		c.texts = map[*Kept]*Texts{}
	}
	if t := c.texts[k]; t != nil {
		c.bytes -= t.bytes
	}
	t := &Texts{of: k, style: style, cache: c, pieces: make([]atomic.Pointer[Piece], 2*nodes), words: make([]atomic.Pointer[string], nodes)}
	c.texts[k] = t
	k.texts.Store(t)
	c.add(t, 3*8*nodes)
	return t
}

// Drop forgets the texts of a document that is no longer there.
func (c *Cache) Drop(k *Kept) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if t := c.texts[k]; t != nil {
		c.bytes -= t.bytes
		delete(c.texts, k)
		k.texts.Store(nil)
	}
}

// Bytes is about how many bytes are kept.
func (c *Cache) Bytes() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.bytes
}

// add counts bytes of texts, and drops all if they are too many. c.mu is held.
func (c *Cache) add(t *Texts, bytes int) {
	t.bytes += bytes
	if c.bytes += bytes; c.bytes <= cmp.Or(c.limit, maxKept) {
		return
	}
	for k := range c.texts {
		k.texts.Store(nil)
	}
	clear(c.texts)
	c.bytes = 0
}

// slot is where the text of a node at level Title or Full is kept.
func (t *Texts) slot(node int32, level choose.Level) *atomic.Pointer[Piece] {
	if level == choose.Full {
		return &t.pieces[2*node+1]
	}
	return &t.pieces[2*node]
}

// Piece returns the text of a node at level Title or Full, nil if it is not kept.
func (t *Texts) Piece(node int32, level choose.Level) *Piece { return t.slot(node, level).Load() }

// Keep keeps the text of a node at level Title or Full, unless it is very long.
func (t *Texts) Keep(node int32, level choose.Level, p *Piece) {
	slot := t.slot(node, level)
	t.cache.keep(t, p.size(), func() (before int) {
		if old := slot.Swap(p); old != nil {
			before = old.size()
		}
		return before
	})
}

// Words returns what KeepWords was given, nil if it is not kept.
func (t *Texts) Words(node int32) *string { return t.words[node].Load() }

// KeepWords keeps the words in which those of a request are looked for.
func (t *Texts) KeepWords(node int32, words string) {
	t.cache.keep(t, len(words), func() (before int) {
		if old := t.words[node].Swap(&words); old != nil {
			before = len(*old)
		}
		return before
	})
}

func (c *Cache) keep(t *Texts, size int, store func() int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if size <= maxPiece && c.texts[t.of] == t {
		c.add(t, size-store())
	}
}

// size is about how many bytes a text takes.
func (p *Piece) size() int { return len(p.Text) + len(p.Title) + 128 }
