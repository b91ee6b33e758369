// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import (
	"strings"

	"github.com/fovea-memory/fovea/window/render"
)

// Names stands for the handles of a document's nodes; see Namer.
type Names = render.Names

// Namer is a Source whose windows keep the texts of nodes: the text of a node that is shown
// whole, or by its heading, depends on its document and on its handle alone. The texts go
// with their document, and with the outline, which keeps at most 64 MB of them.
type Namer interface {
	// Names stands for the handles of the nodes in the document with a path. It keeps nothing
	// alive, and is not changed.
	Names(path string) *Names
	// HasHandle reports whether a node has a handle among names, as it had among others.
	HasHandle(id, handle string, names, before *Names) bool
}

// documentTexts are the kept texts of the document that a plan looked at last.
type documentTexts struct {
	block *block
	texts *render.Texts
	names *Names
}

// textsOf returns the kept texts of a candidate's document, nil if the source is no Namer.
func (p *plan) textsOf(n *detail) *documentTexts {
	namer, ok := p.src.(Namer)
	if !ok {
		return nil
	}
	if b := p.tree.blocks[n.block]; p.latest.block != b {
		style := render.Style{Counter: p.req.Counter.Name(), Renderer: p.renderer}
		p.latest = documentTexts{b, p.tree.texts.Texts(&b.kept, style, len(b.nodes)), namer.Names(b.path)}
	}
	return &p.latest
}

// keptPiece returns the kept text of candidate i at a level, nil for none.
func (p *plan) keptPiece(i int, level Level) *render.Piece {
	n := &p.details[i]
	if !p.isKeepable(i, level) {
		return nil
	}
	d := p.textsOf(n)
	if d == nil {
		return nil
	}
	kept := d.texts.Piece(n.local, level)
	if kept == nil || !kept.IsFor(p.req.Caller.Agent) {
		return nil
	}
	if before := kept.Names.Load(); before != d.names {
		if !p.src.(Namer).HasHandle(n.info.id, kept.Handle, d.names, before) {
			return nil
		}
		kept.Names.Store(d.names)
	}
	return kept
}

// isKeepable reports whether the text of candidate i at a level is that of any request.
func (p *plan) isKeepable(i int, level Level) bool {
	n := &p.details[i]
	return p.isCacheable(i, level) && n.stars == n.info.depth+1
}

// keepPiece keeps the text of candidate i at a level.
func (p *plan) keepPiece(i int, level Level, written piece) {
	n := &p.details[i]
	if !p.isKeepable(i, level) {
		return
	}
	d := p.textsOf(n)
	if d == nil {
		return
	}
	item := p.item(i)
	kept := &render.Piece{Text: written.text, Tokens: written.tokens, Handle: item.Handle, Title: render.TitleOf(item, level)}
	if above := p.inForce(int(p.candidates[i].parent)); above.author == "" { // else it is named to all, or to none
		kept.Author, kept.Asks = item.Author, item.Author == p.req.Caller.Agent
	}
	kept.Names.Store(d.names)
	d.texts.Keep(n.local, level, kept)
	n.kept[level] = kept
}

// foldedWords returns the text of candidate i in which the words of a request are looked for, in
// lower case: the title, and the beginning of the body.
func (p *plan) foldedWords(i int) string {
	const maxBytes = 1000 // of the body
	n := &p.details[i]
	var d *documentTexts
	if p.tree.workingOf(n.ref) == nil { // the body of a block may be read from its file
		d = p.textsOf(n)
	}
	if d != nil {
		if words := d.texts.Words(n.local); words != nil {
			return *words
		}
	}
	item := p.item(i)
	words := strings.ToLower(item.Title + "\n" + item.Body[:min(maxBytes, len(item.Body))])
	if d != nil {
		d.texts.KeepWords(n.local, words)
	}
	return words
}
