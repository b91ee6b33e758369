// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package ipfs

import (
	"bytes"
	"fmt"
	"io"
	"slices"

	"github.com/fovea-memory/fovea/internal/place"
	"github.com/fovea-memory/fovea/merkle"
)

// rawLink begins a link to a block with the codec raw, up to its digest.
const rawLink = "\xd8\x2a\x58\x25\x00\x01\x55\x12\x20"

// codedLink begins a link to a block of a list.
const codedLink = "\xd8\x2a\x58\x25\x00\x01\x71\x12\x20"

// writeList writes the blocks of a list of pieces and returns the digest of the last: links to the
// pieces or, if there are too many, to such lists. Links to pieces are raw, so that the daemon does not
// follow the links inside them.
func writeList(out *place.Writer, pieces []merkle.Digest) (merkle.Digest, error) {
	kind := rawLink
	for {
		var above []merkle.Digest
		for len(pieces) > 0 || above == nil {
			n := min(len(pieces), ListLinks)
			d, err := out.Put(listOf(kind, pieces[:n]))
			pieces = pieces[n:]
			if err != nil {
				return d, err
			}
			above = append(above, d)
		}
		if len(above) == 1 {
			return above[0], nil
		}
		pieces, kind = above, codedLink
	}
}

// listOf returns a block of links of one kind.
func listOf(kind string, links []merkle.Digest) []byte {
	block := merkle.AppendList(nil, len(links))
	for _, d := range links {
		block = append(append(block, kind...), d[:]...)
	}
	return block
}

// readList reads a block of a list: links to pieces, or to further lists.
func readList(block []byte) (links []merkle.Digest, raw bool, err error) {
	const size = len(rawLink) + merkle.DigestSize
	n := len(block) / size // the head before the links is shorter than a link
	rest, isList := bytes.CutPrefix(block, merkle.AppendList(nil, n))
	if !isList || n == 0 || n > ListLinks || len(rest) != n*size {
		return nil, false, fmt.Errorf("a list of pieces: %w", ErrOther)
	}
	kind := string(rest[:len(rawLink)])
	if kind != rawLink && kind != codedLink {
		return nil, false, fmt.Errorf("a list of pieces: %w", ErrOther)
	}
	links = make([]merkle.Digest, n)
	for i := range links {
		if string(rest[:len(kind)]) != kind {
			return nil, false, fmt.Errorf("a list of pieces: %w", ErrOther)
		}
		links[i] = merkle.Digest(rest[len(kind):size])
		rest = rest[size:]
	}
	return links, kind == rawLink, nil
}

// maxDepth is the depth of nested lists that MaxPieces needs, with ListLinks links each.
const maxDepth = 3

// walk returns the pieces of a list, in the order of an export.
type walk struct {
	get  func(merkle.Digest) ([]byte, error) // returns a block of a list
	todo []link                              // the last one is next
}

// link is a link to a piece, or to a list at a depth.
type link struct {
	to      merkle.Digest
	isPiece bool
	depth   int
}

func walkOf(list merkle.Digest, get func(merkle.Digest) ([]byte, error)) *walk {
	return &walk{get, []link{{to: list}}}
}

// next returns the next piece, io.EOF after the last one.
func (w *walk) next() (merkle.Digest, error) {
	for len(w.todo) > 0 {
		at := w.todo[len(w.todo)-1]
		w.todo = w.todo[:len(w.todo)-1]
		if at.isPiece {
			return at.to, nil
		}
		if at.depth >= maxDepth {
			return at.to, fmt.Errorf("lists within lists: %w", ErrOther)
		}
		block, err := w.get(at.to)
		if err != nil {
			return at.to, err
		}
		links, raw, err := readList(block)
		if err != nil {
			return at.to, fmt.Errorf("%s: %w", at.to, err)
		}
		for _, to := range slices.Backward(links) {
			w.todo = append(w.todo, link{to, raw, at.depth + 1})
		}
	}
	return merkle.Digest{}, io.EOF
}
