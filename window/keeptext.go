// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import (
	"strings"

	"github.com/fovea-memory/fovea/window/render"
)

// Names stands for the handles of a source; see Namer.
type Names = render.Names

// Namer is a Source whose windows keep the texts of nodes: the text of a node that is shown
// whole, or by its heading, depends on its document and on its handle alone. The texts go
// with their document, and with the outline, which keeps at most 64 MB of them.
type Namer interface {
	// Names stands for the handles of the nodes: while it is the same, so are they.
	Names() *Names
	// HasHandle reports whether a node has a handle.
	HasHandle(id, handle string) bool
}

// textCache is a render.Cache.
type textCache interface {
	Texts(k *render.Kept, style render.Style, nodes int) *render.Texts
	Drop(k *render.Kept)
}

// textsOf returns the kept texts of a candidate's document, nil if the source is no Namer.
func (p *plan) textsOf(n *detail) *render.Texts {
	if p.namer == nil {
		return nil
	}
	b := p.tree.blocks[n.block]
	d := p.documents[b]
	if d == nil {
		style := render.Style{Counter: p.req.Counter.Name(), Renderer: p.renderer}
		d = p.tree.texts.Texts(&b.kept, style, len(b.nodes))
		p.documents[b] = d
	}
	return d
}

// price returns the tokens of a candidate at a level, including the separator. Most candidates
// that a window considers are not shown, and those whose text is kept need not be rendered.
func (p *plan) price(i int, level Level) int {
	n := &p.details[i]
	if n.prices[level] == 0 {
		if kept := p.keptPiece(i, level); kept != nil {
			n.prices[level] = int32(kept.Tokens)
		} else {
			return p.piece(i, level).tokens
		}
	}
	return int(n.prices[level])
}

// keptPiece returns the kept text of candidate i at a level, nil for none.
func (p *plan) keptPiece(i int, level Level) *render.Piece {
	n := &p.details[i]
	if !p.isKeepable(i, level) {
		return nil
	}
	if n.kept[level] != nil {
		return n.kept[level]
	}
	d := p.textsOf(n)
	if d == nil {
		return nil
	}
	kept := d.Piece(n.local, level)
	if kept == nil || !kept.IsFor(p.req.Caller.Agent) {
		return nil
	}
	if names := p.namer.Names(); kept.Names.Load() != names {
		if !p.namer.HasHandle(n.info.id, kept.Handle) {
			return nil
		}
		kept.Names.Store(names)
	}
	n.kept[level] = kept
	return kept
}

// isKeepable reports whether the text of candidate i at a level depends on its document, its
// handle and its reader alone, not on the request.
func (p *plan) isKeepable(i int, level Level) bool {
	n := &p.details[i]
	byRequest := i == p.focus || p.tree.workingOf(n.ref) != nil || n.source || n.corrected || n.headingShown || n.stars != n.info.depth+1
	return level != Snippet && !byRequest && p.req.Policy != PolicyFoveal && p.req.Format != FormatJSON
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
	if above := p.inForce(int(p.candidates[i].Parent)); above.author == "" { // else it is named to all, or to none
		kept.Author, kept.Asks = item.Author, item.Author == p.req.Caller.Agent
	}
	kept.Names.Store(p.namer.Names())
	d.Keep(n.local, level, kept)
	n.kept[level] = kept
}

// foldedWords returns the text of candidate i in which the words of a request are looked for, in
// lower case: the title, and the beginning of the body.
func (p *plan) foldedWords(i int) string {
	const maxBytes = 1000 // of the body
	n := &p.details[i]
	var d *render.Texts
	if p.tree.workingOf(n.ref) == nil { // the body of a block may be read from its file
		d = p.textsOf(n)
	}
	if d != nil {
		if words := d.Words(n.local); words != nil {
			return *words
		}
	}
	item := p.item(i)
	words := strings.ToLower(item.Title + "\n" + item.Body[:min(maxBytes, len(item.Body))])
	if d != nil {
		d.KeepWords(n.local, words)
	}
	return words
}
