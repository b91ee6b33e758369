// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// ErrSplice is wrapped by the error of [ApplySplices] for splices that are unsorted,
// overlap, or are outside the text.
var ErrSplice = errors.New("splices are not in order inside the text")

// A Splice replaces the bytes from Start to End of a text by New.
type Splice struct {
	Start, End int
	New        string
}

// ApplySplices returns src with all splices applied. The splices must be sorted,
// disjoint and inside src, to which their offsets refer; otherwise the error wraps
// [ErrSplice]. It takes time in proportion to src and the splices.
func ApplySplices(src string, splices []Splice) (string, error) {
	var b strings.Builder
	at := 0
	for _, s := range splices {
		if s.Start < at || s.End < s.Start || s.End > len(src) {
			return "", fmt.Errorf("apply splice %d to %d after offset %d of %d: %w", s.Start, s.End, at, len(src), ErrSplice)
		}
		b.WriteString(src[at:s.Start])
		b.WriteString(s.New)
		at = s.End
	}
	b.WriteString(src[at:])
	return b.String(), nil
}

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
	d := draft{src: src, text: src}
	if src != "" {
		d.pieces = []piece{{0, len(src), ""}}
	}
	return d
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
func (d *draft) splices() []Splice {
	var out []Splice
	at := 0
	var text strings.Builder
	flush := func(next int) {
		if text.Len() > 0 || next > at {
			out = append(out, Splice{at, next, text.String()})
			text.Reset()
		}
	}
	for _, p := range d.pieces {
		if p.text != "" {
			text.WriteString(p.text)
			continue
		}
		if p.start > at || text.Len() > 0 {
			flush(p.start)
		}
		at = p.end
	}
	flush(len(d.src))
	return out
}
