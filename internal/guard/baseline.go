// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package guard

import (
	"slices"

	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
)

// maxEarlier is the number of earlier trusted texts remembered, because a rollback to a
// text that was once trusted is allowed.
const maxEarlier = 64

// Baseline describes the trusted content of a protected file. It is immutable.
type Baseline struct {
	Path string
	Seq  uint64        // of a commit whose state contains the content
	File merkle.Digest // SHA-256 of the file
	// Memory is the SHA-256 of the document in memory. It equals File unless the file
	// is in drift.
	Memory  merkle.Digest
	Parts   []Part          // without texts
	Earlier []merkle.Digest // texts trusted before, oldest first
}

// NewBaseline returns the baseline of a document in the state of a commit, with the
// digest of its file. Without nodes, the baseline states that no such document should
// exist. before, which may be nil, is the baseline to replace.
func NewBaseline(before *Baseline, path string, nodes []*node.Node, file merkle.Digest, seq uint64) *Baseline {
	b := &Baseline{Path: path, Seq: seq, File: file, Memory: TextOf(nodes), Parts: Parts(nodes)}
	for i := range b.Parts {
		b.Parts[i].Text = ""
	}
	if before != nil {
		b.Earlier = slices.DeleteFunc(append(slices.Clone(before.Earlier), before.Memory), func(d merkle.Digest) bool { return d == b.Memory })
		b.Earlier = b.Earlier[max(0, len(b.Earlier)-maxEarlier):]
	}
	return b
}

// TextOf returns the SHA-256 of the text of a document, given its nodes in order, and
// Absent if there are none.
func TextOf(nodes []*node.Node) merkle.Digest {
	if len(nodes) == 0 {
		return Absent
	}
	return merkle.Sum([]byte(node.Join(nodes)))
}

// Trusts reports whether a text is trusted now or was trusted before.
func (b *Baseline) Trusts(text merkle.Digest) bool {
	return text == b.Memory || slices.Contains(b.Earlier, text)
}

// OwnDigests returns the own digests of the document's nodes, in order. The blocks with
// these digests make up the trusted text.
func (b *Baseline) OwnDigests() []merkle.Digest {
	var out []merkle.Digest
	for _, p := range b.Parts {
		if p.Kind != Block {
			out = append(out, p.Digest)
		}
	}
	return out
}

// Matches reports whether the nodes of a document, in order, have the trusted text.
// O(nodes) if their own digests equal those of the baseline; otherwise the text is
// hashed, because another division into nodes can have the same text.
func (b *Baseline) Matches(nodes []*node.Node) bool {
	if len(nodes) == 0 || len(b.Parts) == 0 {
		return len(nodes) == len(b.Parts)
	}
	at := 0
	for i := range b.Parts {
		if b.Parts[i].Kind == Block {
			continue
		}
		if at == len(nodes) || nodes[at].Own != b.Parts[i].Digest {
			return TextOf(nodes) == b.Memory
		}
		at++
	}
	return at == len(nodes) || TextOf(nodes) == b.Memory
}
