// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package merkle

import "fmt"

// AppendKids appends an ordered list of up to MaxKids links as one value: a
// list of the links if there are at most ListSize, else a list of their number
// and the links to the blocks that hold them (see doc/format/codec.md). It
// passes those blocks to emit as AppendContent does. It returns ErrTooLarge for
// more than MaxKids links and takes O(len(kids)).
func AppendKids(dst []byte, kids []Digest, emit func(Digest, []byte) error) ([]byte, error) {
	if len(kids) <= ListSize {
		return appendLinks(AppendList(dst, len(kids)), kids), nil
	}
	if len(kids) > MaxKids {
		return dst, fmt.Errorf("append kids: %d links, more than %d: %w", len(kids), MaxKids, ErrTooLarge)
	}
	dst = AppendList(dst, 1+topWidth(len(kids)))
	dst = AppendUint(dst, uint64(len(kids)))
	return appendTree(dst, kids, emit)
}

// ReadKids reads the next value of r as a list of links. It reads the blocks of
// the list with get, but does not fetch the linked blocks themselves. Its
// errors are those of ReadContent.
func ReadKids(r *Reader, get func(Digest) ([]byte, error)) ([]Digest, error) {
	width := r.List()
	if r.Err() != nil {
		return nil, r.Err()
	}
	if width == 0 || r.Peek() != KindInt {
		if width > ListSize {
			return nil, fmt.Errorf("read kids: %d links in one list: %w", width, ErrShape)
		}
		kids := readLinks(r, width, nil)
		return kids, r.Err()
	}
	n := r.Uint()
	switch {
	case r.Err() != nil:
		return nil, r.Err()
	case n <= ListSize:
		return nil, fmt.Errorf("read kids: %d links in a tree: %w", n, ErrShape)
	case n > MaxKids:
		return nil, fmt.Errorf("read kids: %d links, more than %d: %w", n, MaxKids, ErrTooLarge)
	}
	kids, err := readTree(r, width-1, int(n), get)
	if err != nil {
		return nil, fmt.Errorf("read kids: %w", err)
	}
	return kids, nil
}
