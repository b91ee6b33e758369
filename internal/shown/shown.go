// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package shown

import (
	"hash/fnv"
	"slices"

	"github.com/fovea-memory/fovea/internal/excerpt"
	"github.com/fovea-memory/fovea/merkle"
)

// Record is what the windows of a session have shown so far. The zero value is that of a
// new session. A Record must not be changed once a window has returned it.
type Record struct {
	Nodes map[string]Node // by id

	// Of a session whose windows append to one another.
	Text   string // the last window, without its tail
	Tokens int    // of Text
	Style  string // what Text was made with: policy, format and counter
}

// Node is what a session was shown of one node.
type Node struct {
	Name    string        // the handle or id that it was shown under
	Digest  merkle.Digest // of the node as it was shown last
	Heading uint64        // fingerprint of the heading
	Level   uint8         // the highest level at which it was shown
	Lines   []uint64      // sorted fingerprints of the passages
}

// Len returns the number of nodes shown.
func (r *Record) Len() int { return len(r.Nodes) }

// Fingerprint hashes texts, the same in every process.
func Fingerprint(texts ...string) uint64 {
	h := fnv.New64a()
	for _, text := range texts {
		_, _ = h.Write([]byte(text))
		_, _ = h.Write([]byte{0})
	}
	return h.Sum64()
}

// Has reports whether a passage was shown.
func (n *Node) Has(passage string) bool { return contains(n.Lines, Fingerprint(passage)) }

// Lines returns the sorted fingerprints of the chosen passages of an excerpt.
func Lines(x *excerpt.Excerpt) (lines []uint64) {
	for passage := range x.Chosen() {
		lines = append(lines, Fingerprint(passage))
	}
	slices.Sort(lines)
	return lines
}

// Still returns those of the lines shown that are among the chosen passages of an excerpt.
func (n *Node) Still(x *excerpt.Excerpt) []uint64 {
	lines := Lines(x)
	return slices.DeleteFunc(slices.Clone(n.Lines), func(line uint64) bool { return !contains(lines, line) })
}

func contains(sorted []uint64, line uint64) bool {
	_, found := slices.BinarySearch(sorted, line)
	return found
}
