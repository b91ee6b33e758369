// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package graph

import (
	"bytes"

	"github.com/fovea-memory/fovea/merkle"
)

// Mentions reports whether a commit's block may concern a node, without decoding it. It
// has no false negatives, and is true for every commit with a delta or lineage in
// separate blocks. O(len(block)).
func Mentions(block []byte, id string) bool {
	if bytes.Contains(block, []byte(id)) {
		return true
	}
	r := merkle.NewReader(block)
	_ = new(Commit).readHead(r)
	if r.Peek() != merkle.KindBytes {
		return true
	}
	r.Bytes()
	r.Key("state")
	r.Link()
	r.Key("author")
	if _, err := ReadAuthor(r); err != nil {
		return true
	}
	r.Key("lineage")
	return r.Peek() != merkle.KindBytes
}
