// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package minds

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/fovea-memory/fovea/internal/text"
)

// recipe describes how to reconstruct a text: from bytes of its own, and copies from sources.
type recipe struct {
	// Own holds the bytes that are in no source, in order.
	Own string `json:"own"`
	// Copies holds, in base64, four varints for each step: the number of bytes of Own that come
	// next, then the source, the offset and the length of a copy.
	Copies string `json:"copies"`
}

const (
	minCopy       = 4       // bytes; shorter matches stay in Own
	goodCopy      = 64      // bytes that end the search for a longer match
	maxCandidates = 16      // places with the same beginning that are compared
	maxSources    = 8 << 20 // bytes of all sources
	maxText       = 8 * maxSources
	hashBits      = 18
)

// multiplier is odd and random in each process, so that nobody can write a text whose passages all have the
// same hash. Recipes do not depend on it.
var multiplier = rand.Uint32() | 1

var errRecipe = errors.New("the instructions do not fit their sources")

// cook returns the recipe of a text, false if text or sources are too large, or if bytes that are in no
// source are not UTF-8. O(text + sources).
func cook(text string, sources []string) (recipe, bool) {
	d, ok := newDictionary(sources)
	if !ok || len(text) > maxText {
		return recipe{}, false
	}
	var own strings.Builder
	var steps []byte
	from := 0 // where the bytes of Own begin
	step := func(to, at, length int) {
		own.WriteString(text[from:to])
		source := d.sourceAt(at)
		for _, n := range [...]int{to - from, source, at - d.starts[source], length} {
			steps = binary.AppendUvarint(steps, uint64(n))
		}
		from = to + length
	}
	for i := 0; i < len(text); {
		at, length := d.match(text[i:])
		for length > 0 && i+length < len(text) && !utf8.RuneStart(text[i+length]) {
			length-- // Own is in JSON, which must be UTF-8
		}
		if length >= minCopy {
			step(i, at, length)
			i = from
			continue
		}
		for i++; i < len(text) && !utf8.RuneStart(text[i]); {
			i++
		}
	}
	own.WriteString(text[from:])
	return recipe{own.String(), base64.RawStdEncoding.EncodeToString(steps)}, utf8.ValidString(own.String())
}

// follow returns the text of a recipe, with a mark for each copy from a missing source. A text of more than
// maxText bytes is an error.
func (r *recipe) follow(sources []string, missing []bool, mark string) (string, error) {
	steps, err := base64.RawStdEncoding.DecodeString(r.Copies)
	if err != nil {
		return "", errRecipe
	}
	var b strings.Builder
	rest := r.Own
	for len(steps) > 0 {
		var v [4]uint64
		for i := range v {
			n := 0
			if v[i], n = binary.Uvarint(steps); n <= 0 {
				return "", errRecipe
			}
			steps = steps[n:]
		}
		own, source, at, length := v[0], v[1], v[2], v[3]
		if own > uint64(len(rest)) || source >= uint64(len(sources)) {
			return "", errRecipe
		}
		b.WriteString(rest[:own])
		rest = rest[own:]
		size := uint64(len(sources[source]))
		switch {
		case missing[source]:
			b.WriteString(mark)
		case at > size || length > size-at || uint64(b.Len())+length > maxText:
			return "", errRecipe
		default:
			b.WriteString(sources[source][at : at+length])
		}
	}
	b.WriteString(rest)
	return b.String(), nil
}

// dictionary finds the passages of sources.
type dictionary struct {
	text   string // the sources, one after the other
	starts []int  // of each source, and the end
	heads  []int32
	before []int32 // by position, an earlier one with the same hash, plus 1
}

func newDictionary(sources []string) (*dictionary, bool) {
	d := &dictionary{starts: make([]int, 1, len(sources)+1)}
	for _, s := range sources {
		d.starts = append(d.starts, d.starts[len(d.starts)-1]+len(s))
	}
	if d.starts[len(sources)] > maxSources {
		return nil, false
	}
	d.text = strings.Join(sources, "")
	d.heads, d.before = make([]int32, 1<<hashBits), make([]int32, len(d.text))
	for i := 0; i+minCopy <= len(d.text); i++ {
		h := hash(d.text[i:])
		d.before[i], d.heads[h] = d.heads[h], int32(i+1)
	}
	return d, true
}

// hash returns the hash of the first minCopy bytes of a text.
func hash(s string) uint32 {
	v := uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24
	return v * multiplier >> (32 - hashBits)
}

// match returns the place and length of a long passage that a text begins with, length 0 if there is none.
// Places that only share the hash are skipped and do not count as candidates.
func (d *dictionary) match(rest string) (at, length int) {
	if len(rest) < minCopy {
		return 0, 0
	}
	next := d.heads[hash(rest)]
	for tried := 0; next != 0 && tried < maxCandidates && length < goodCopy; {
		i := int(next - 1)
		next = d.before[i]
		if d.text[i:i+minCopy] != rest[:minCopy] {
			continue
		}
		tried++
		if length > 0 && (length >= len(rest) || i+length >= len(d.text) || d.text[i+length] != rest[length]) {
			continue // not longer than the best so far
		}
		if n := min(text.SharedPrefix(d.text[i:], rest), d.starts[d.sourceAt(i)+1]-i); n > length {
			at, length = i, n
		}
	}
	return at, length
}

// sourceAt returns the number of the source that contains a position.
func (d *dictionary) sourceAt(at int) int {
	return sort.Search(len(d.starts), func(i int) bool { return d.starts[i] > at }) - 1
}
