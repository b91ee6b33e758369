// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package merkle

import (
	"cmp"
	"fmt"
	"strings"
)

// AppendContent appends a content of up to MaxContent bytes as one value: a
// byte string up to ChunkSize, else a list of its size in bytes and the links
// to the blocks that hold its chunks (see doc/format/codec.md). It passes each
// of those blocks to emit before the blocks that link to it. emit may be nil
// and must copy what it retains; its errors are returned unchanged.
// AppendContent returns ErrTooLarge for a longer content and takes
// O(len(content)).
func AppendContent(dst []byte, content string, emit func(Digest, []byte) error) ([]byte, error) {
	if len(content) <= ChunkSize {
		return AppendBytes(dst, content), nil
	}
	if len(content) > MaxContent {
		return dst, fmt.Errorf("append content: %d bytes, more than %d: %w", len(content), MaxContent, ErrTooLarge)
	}
	links := make([]Digest, 0, chunks(len(content)))
	block := make([]byte, 0, ChunkSize+8)
	size := len(content)
	for len(content) > 0 {
		n := min(len(content), ChunkSize)
		block = AppendBytes(block[:0], content[:n])
		content = content[n:]
		d, err := seal(block, emit)
		if err != nil {
			return dst, err
		}
		links = append(links, d)
	}
	dst = AppendList(dst, 1+topWidth(len(links)))
	dst = AppendUint(dst, uint64(size))
	return appendTree(dst, links, emit)
}

// ReadContent reads the next value of r as a content and returns its bytes. It
// fetches the chunks with get and verifies their digests. After an error it
// still calls get for the other chunks, so that get learns every missing one.
// It returns the first error: one of r or get,
// ErrDigest, ErrTooLarge, and ErrShape if AppendContent would have split the
// content into other chunks.
func ReadContent(r *Reader, get func(Digest) ([]byte, error)) (string, error) {
	if r.Peek() == KindBytes || r.Err() != nil {
		s := string(r.Bytes())
		return s, r.Err()
	}
	width := r.List() - 1
	size := r.Uint()
	switch {
	case r.Err() != nil:
		return "", r.Err()
	case size <= ChunkSize:
		return "", fmt.Errorf("read content: %d bytes in chunks: %w", size, ErrShape)
	case size > MaxContent:
		return "", fmt.Errorf("read content: %d bytes, more than %d: %w", size, MaxContent, ErrTooLarge)
	}
	left := int(size)
	links, failed := readTree(r, width, chunks(left), get)
	var content strings.Builder
	content.Grow(left)
	for _, d := range links {
		chunk, err := readChunk(d, min(left, ChunkSize), get)
		failed = cmp.Or(failed, err)
		content.Write(chunk)
		left -= min(left, ChunkSize)
	}
	if failed != nil {
		return "", fmt.Errorf("read content: %w", failed)
	}
	return content.String(), nil
}

func chunks(size int) int { return (size + ChunkSize - 1) / ChunkSize }

func readChunk(d Digest, size int, get func(Digest) ([]byte, error)) ([]byte, error) {
	block, err := fetch(d, get)
	if err != nil {
		return nil, err
	}
	r := NewReader(block)
	chunk := r.Bytes()
	if err := r.Done(); err != nil {
		return nil, fmt.Errorf("chunk %s: %w", d, err)
	}
	if len(chunk) != size {
		return nil, fmt.Errorf("chunk %s: %d bytes, not %d: %w", d, len(chunk), size, ErrShape)
	}
	return chunk, nil
}

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
