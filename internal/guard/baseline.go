// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package guard

import (
	"slices"

	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
)

// keptEarlier is how many trusted texts before the present one are known: what
// was trusted once may be rolled back to.
const keptEarlier = 64

// Baseline is what a protected file held when it was last trusted. It must not be
// changed.
type Baseline struct {
	Path string
	Seq  uint64        // of a commit whose state holds it
	File merkle.Digest // SHA-256 of the file
	// Memory is the SHA-256 of what memory has of it: File, unless the file
	// differs from memory on purpose.
	Memory  merkle.Digest
	Parts   []Part          // without texts
	Earlier []merkle.Digest // texts that were trusted before, the oldest first
}

// Take makes the baseline of a document as memory has it at a commit, with the
// digest of its file. Without nodes it says that there is no such document, and
// that this is as it should be. before, which may be nil, is the baseline that it
// replaces.
func Take(before *Baseline, path string, nodes []*node.Node, file merkle.Digest, seq uint64) *Baseline {
	b := &Baseline{Path: path, Seq: seq, File: file, Memory: TextOf(nodes), Parts: Parts(nodes)}
	for i := range b.Parts {
		b.Parts[i].Text = ""
	}
	if before != nil {
		b.Earlier = slices.DeleteFunc(append(slices.Clone(before.Earlier), before.Memory), func(d merkle.Digest) bool { return d == b.Memory })
		b.Earlier = b.Earlier[max(0, len(b.Earlier)-keptEarlier):]
	}
	return b
}

// TextOf is the SHA-256 of what nodes, those of one document in order, join to;
// Absent for none.
func TextOf(nodes []*node.Node) merkle.Digest {
	if len(nodes) == 0 {
		return Absent
	}
	return merkle.Sum([]byte(node.Join(nodes)))
}

// Trusts reports whether a text is the trusted one, or was before.
func (b *Baseline) Trusts(text merkle.Digest) bool {
	return text == b.Memory || slices.Contains(b.Earlier, text)
}

// Own returns the own digests of the document's nodes, in order: with the blocks
// that they name, the trusted text can be had again.
func (b *Baseline) Own() []merkle.Digest {
	var out []merkle.Digest
	for _, p := range b.Parts {
		if p.Kind != Block {
			out = append(out, p.Digest)
		}
	}
	return out
}

// Holds reports whether nodes, those of one document in order, join to the trusted
// text. O(nodes) where they are the nodes that it was taken of, since own digests
// cover the bytes; another division of the same text costs a hash of it.
func (b *Baseline) Holds(nodes []*node.Node) bool {
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
