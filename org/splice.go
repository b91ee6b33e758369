// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import (
	"slices"
	"unicode/utf8"

	"github.com/fovea-memory/fovea/document"
)

// draft is a text under edit that tracks its origin in the source.
type draft struct {
	src    string
	text   string
	pieces []piece // concatenated they are the text
}

// piece is a range of the source if text is "", else new text.
type piece struct {
	start, end int
	text       string
}

func newDraft(src string) draft {
	return draft{src: src, text: src, pieces: []piece{{0, len(src), ""}}}
}

func (p piece) length() int {
	if p.text != "" {
		return len(p.text)
	}
	return p.end - p.start
}

// split splits p after n bytes.
func (p piece) split(n int) (before, after piece) {
	if p.text != "" {
		return piece{text: p.text[:n]}, piece{text: p.text[n:]}
	}
	return piece{p.start, p.start + n, ""}, piece{p.start + n, p.end, ""}
}

// replace replaces the bytes from start to end of the draft by text. It keeps ASCII
// that is equal at both ends, which makes splices short without splitting a
// character.
func (d *draft) replace(start, end int, text string) {
	for start < end && text != "" && d.text[start] == text[0] && text[0] < utf8.RuneSelf {
		start, text = start+1, text[1:]
	}
	for start < end && text != "" && d.text[end-1] == text[len(text)-1] && d.text[end-1] < utf8.RuneSelf {
		end, text = end-1, text[:len(text)-1]
	}
	if start == end && text == "" {
		return
	}
	first := d.splitAt(start)
	last := d.splitAt(end)
	var with []piece
	if text != "" {
		with = []piece{{text: text}}
	}
	d.pieces = slices.Replace(d.pieces, first, last, with...)
	d.text = d.text[:start] + text + d.text[end:]
}

// splitAt makes a piece start at the offset at and returns its index.
func (d *draft) splitAt(at int) int {
	for i, p := range d.pieces {
		n := p.length()
		switch {
		case at == 0:
			return i
		case at < n:
			before, after := p.split(at)
			d.pieces = slices.Replace(d.pieces, i, i+1, before, after)
			return i + 1
		}
		at -= n
	}
	return len(d.pieces)
}

// splices returns the splices that turn the source into the text.
func (d *draft) splices() []document.Splice {
	var out []document.Splice
	at, text := 0, ""
	end := piece{start: len(d.src), end: len(d.src)}
	for _, p := range append(slices.Clip(d.pieces), end) {
		if p.text != "" {
			text += p.text
			continue
		}
		if p.start > at || text != "" {
			out = append(out, document.Splice{Start: at, End: p.start, New: text})
			text = ""
		}
		at = p.end
	}
	return out
}
