// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import (
	"hash/fnv"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/internal/excerpt"
	"github.com/fovea-memory/fovea/internal/index"
	"github.com/fovea-memory/fovea/merkle"
)

// Shown is what the windows of a session have shown so far; see Request.Shown. The zero
// value is that of a new session. A Shown is immutable.
type Shown struct {
	nodes map[string]shownNode // by id

	text   string // of LayoutSticky, without the tail
	tokens int    // of text
	style  string // what text was made with: policy, format and counter
}

// shownNode is what a session was shown of one node.
type shownNode struct {
	digest  merkle.Digest // of the node as it was shown last
	heading uint64        // fingerprint of the heading
	level   Level
	lines   []uint64 // sorted fingerprints of the passages
}

// Len returns the number of nodes shown.
func (s *Shown) Len() int { return len(s.nodes) }

// fingerprint hashes texts, the same in every process.
func fingerprint(texts ...string) uint64 {
	h := fnv.New64a()
	for _, text := range texts {
		_, _ = h.Write([]byte(text))
		_, _ = h.Write([]byte{0})
	}
	return h.Sum64()
}

// headingFingerprint returns the fingerprint of an item's heading.
func headingFingerprint(item *Item) uint64 {
	return fingerprint(item.Todo, item.Priority, item.Title, strings.Join(item.Tags, ":"))
}

// isOld reports whether a passage was shown.
func (t *shownNode) isOld(passage string) bool {
	_, found := slices.BinarySearch(t.lines, fingerprint(passage))
	return found
}

// chosenLines returns the sorted fingerprints of the chosen passages.
func chosenLines(x *excerpt.Excerpt) (lines []uint64) {
	for passage := range x.Chosen() {
		lines = append(lines, fingerprint(passage))
	}
	slices.Sort(lines)
	return lines
}

// isCorrected reports whether what was shown of a node no longer holds.
func (t *shownNode) isCorrected(item *Item) bool {
	if t.heading != headingFingerprint(item) {
		return true
	}
	return len(t.stillThere(item)) < len(t.lines)
}

// stillThere returns those of the lines shown that an item still has.
func (t *shownNode) stillThere(item *Item) []uint64 {
	x := excerpt.New(scanned(item, maxScanned), index.NewMatcher(""))
	x.ChooseAll()
	lines := chosenLines(x)
	return slices.DeleteFunc(slices.Clone(t.lines), func(line uint64) bool {
		_, found := slices.BinarySearch(lines, line)
		return !found
	})
}
