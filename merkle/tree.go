// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package merkle

import (
	"cmp"
	"fmt"
)

// Limits of the format. Writers and readers return ErrTooLarge when a limit is
// exceeded.
const (
	MaxBlock   = 256 << 10 // bytes of a block
	ChunkSize  = 64 << 10  // bytes of content in one block; longer content is chunked
	ListSize   = 256       // links in one list block; longer lists become a tree
	MaxContent = 1 << 30   // bytes of a content
	MaxKids    = 1 << 20   // links of a list
)

// appendTree appends links to a list whose head the caller has written, at most
// ListSize of them. While there are more, it writes each run of ListSize links
// to a list block and continues with the links to those blocks.
func appendTree(dst []byte, links []Digest, emit func(Digest, []byte) error) ([]byte, error) {
	var block []byte
	for len(links) > ListSize {
		var above []Digest
		for len(links) > 0 {
			n := min(len(links), ListSize)
			block = appendLinks(AppendList(block[:0], n), links[:n])
			links = links[n:]
			d, err := seal(block, emit)
			if err != nil {
				return dst, err
			}
			above = append(above, d)
		}
		links = above
	}
	return appendLinks(dst, links), nil
}

// topWidth returns the number of links at the top of a tree over n blocks.
func topWidth(n int) int {
	for n > ListSize {
		n = (n + ListSize - 1) / ListSize
	}
	return n
}

// readTree reads the width top links of a tree, and follows
// them down to the links to its n blocks. It is the inverse of appendTree. When
// a list block is missing, it returns the links in the others, and the error.
func readTree(r *Reader, width, n int, get func(Digest) ([]byte, error)) ([]Digest, error) {
	if width != topWidth(n) {
		return nil, fmt.Errorf("read list: %d links at the top of %d: %w", width, n, ErrShape)
	}
	links := readLinks(r, width, nil)
	if r.Err() != nil {
		return nil, r.Err()
	}
	var widths []int // of the levels from the bottom up, without the top
	for w := n; w > ListSize; w = (w + ListSize - 1) / ListSize {
		widths = append(widths, w)
	}
	var failed error
	for level := len(widths) - 1; level >= 0; level-- {
		var below []Digest
		for i, d := range links {
			block, err := fetch(d, get)
			if err != nil {
				failed = cmp.Or(failed, fmt.Errorf("read list: %w", err))
				continue
			}
			want := min(ListSize, widths[level]-i*ListSize)
			lr := NewReader(block)
			if got := lr.List(); lr.Err() == nil && got != want {
				return nil, fmt.Errorf("read list: %d links in %s, not %d: %w", got, d, want, ErrShape)
			}
			below = readLinks(lr, want, below)
			if err := lr.Done(); err != nil {
				return nil, fmt.Errorf("read list: %s: %w", d, err)
			}
		}
		links = below
	}
	return links, failed
}

func appendLinks(dst []byte, links []Digest) []byte {
	for _, d := range links {
		dst = AppendLink(dst, d)
	}
	return dst
}

func readLinks(r *Reader, n int, links []Digest) []Digest {
	for range n {
		d := r.Link()
		if r.Err() != nil {
			break
		}
		links = append(links, d)
	}
	return links
}

// seal returns the digest of a block and passes both to emit, which may be nil.
func seal(block []byte, emit func(Digest, []byte) error) (Digest, error) {
	if len(block) > MaxBlock {
		return Digest{}, fmt.Errorf("block of %d bytes, more than %d: %w", len(block), MaxBlock, ErrTooLarge)
	}
	d := Sum(block)
	if emit == nil {
		return d, nil
	}
	return d, emit(d, block)
}

// fetch gets a block and verifies that it has the digest d.
func fetch(d Digest, get func(Digest) ([]byte, error)) ([]byte, error) {
	block, err := get(d)
	switch {
	case err != nil:
		return nil, fmt.Errorf("block %s: %w", d, err)
	case len(block) > MaxBlock:
		return nil, fmt.Errorf("block %s: %d bytes, more than %d: %w", d, len(block), MaxBlock, ErrTooLarge)
	case Sum(block) != d:
		return nil, fmt.Errorf("block %s: %w", d, ErrDigest)
	}
	return block, nil
}
