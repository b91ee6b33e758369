// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package embed

import (
	"strings"
	"unicode/utf8"

	"github.com/fovea-memory/fovea/token"
)

const (
	maxText = 1 << 20 // bytes of a text that are embedded
	minHalf = 16      // bytes of the shortest half
)

// ends are the best places to cut a text, in order: after a paragraph, a sentence, a line, a word.
var ends = [][]string{{"\n\n"}, {". ", "! ", "? ", ".\n", "!\n", "?\n", "。", "！", "？"}, {"\n"}, {" ", "\t"}}

// halve cuts text at the best end in its two middle quarters, else between two runes. It
// returns false if the text is too short or a half is blank.
func halve(text string) (left, right string, ok bool) {
	if len(text) < 2*minHalf {
		return text, "", false
	}
	cut := middle(text)
	left, right = strings.TrimSpace(text[:cut]), strings.TrimSpace(text[cut:])
	return left, right, left != "" && right != ""
}

// middle returns the best place to cut text, in O(len(text)).
func middle(text string) int {
	low, half, high := len(text)/4, len(text)/2, len(text)*3/4
	for _, marks := range ends {
		best := -1
		for _, mark := range marks {
			from := max(low, half-len(mark)+1) // a mark may lie across the middle
			before, after := strings.LastIndex(text[low:half], mark), strings.Index(text[from:high], mark)
			if at := low + before + len(mark); before >= 0 && (best < 0 || half-at < max(best-half, half-best)) {
				best = at
			}
			if at := from + after + len(mark); after >= 0 && (best < 0 || at-half < max(best-half, half-best)) {
				best = at
			}
		}
		if best >= 0 {
			return best
		}
	}
	for half > 1 && !utf8.RuneStart(text[half]) {
		half--
	}
	return half
}

// split cuts text into parts of at most limit tokens by the estimate, which is rather too
// high than too low. truncated means that the text is too long and its end is left out.
func split(text string, limit int) (parts []string, truncated bool) {
	text = strings.TrimSpace(text)
	if len(text) > maxText {
		text, truncated = strings.ToValidUTF8(text[:maxText], ""), true
	}
	var add func(string)
	add = func(part string) {
		if token.Estimate().Count(part) > limit {
			if left, right, ok := halve(part); ok {
				add(left)
				add(right)
				return
			}
		}
		parts = append(parts, part)
	}
	add(text)
	return parts, truncated
}

// part is a part of a text with its vector, or the error.
type part struct {
	text      string
	vector    []float32
	truncated bool
	err       error
}

// pool returns the mean of the vectors of the parts, weighted by length and scaled to norm
// 1. It leaves out failed parts; if all failed, the error is the first one.
func pool(parts []*part) Result {
	var r Result
	for _, p := range parts {
		r.Truncated = r.Truncated || p.truncated || p.err != nil
		if p.err != nil {
			continue
		}
		if r.Vector == nil {
			r.Vector = make([]float32, len(p.vector))
		}
		for i, x := range p.vector {
			r.Vector[i] += float32(float64(x) * float64(len(p.text)))
		}
	}
	if r.Vector == nil {
		return Result{Err: parts[0].err}
	}
	if err := unit(r.Vector); err != nil {
		return Result{Err: err}
	}
	return r
}
