// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import (
	"slices"
	"unicode/utf8"

	"github.com/fovea-memory/fovea/document"
)

// draft is an edited text, and the splices that turn its source into it: sorted, disjoint and not adjacent.
type draft struct {
	text    string
	splices []document.Splice
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
	d.text = d.text[:start] + text + d.text[end:]
	first, shift := 0, 0 // shift leads from offsets of the source to those of the text
	for ; first < len(d.splices) && d.splices[first].Start+shift+len(d.splices[first].New) < start; first++ {
		shift += len(d.splices[first].New) - (d.splices[first].End - d.splices[first].Start)
	}
	made, last := document.Splice{Start: start - shift, New: text}, first
	for ; last < len(d.splices) && d.splices[last].Start+shift <= end; last++ {
		s, at := d.splices[last], d.splices[last].Start+shift
		shift += len(s.New) - (s.End - s.Start)
		if at < start {
			made.Start, made.New = s.Start, s.New[:start-at]+made.New
		}
		if more := at + len(s.New) - end; more > 0 {
			made.New += s.New[len(s.New)-more:]
			end += more
		}
	}
	made.End = end - shift
	d.splices = slices.Replace(d.splices, first, last, made)
	if made.Start == made.End && made.New == "" { // an insertion was removed again
		d.splices = slices.Delete(d.splices, first, first+1)
	}
}
