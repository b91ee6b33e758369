// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package node

import (
	"fmt"
	"slices"
	"sync"

	"github.com/fovea-memory/fovea/merkle"
)

// Format is the version of the block formats of doc/format/digest.md.
const Format = 0

// Emit receives a block and its digest. It must copy the bytes to keep them.
type Emit func(d merkle.Digest, block []byte) error

// OwnBlock returns the digest of a node's own canonical block
// {f, type, attrs, content} and hands the block, and those it links to, to
// emit (which may be nil). Time and memory are O(len(Content)).
func (n *Node) OwnBlock(emit Emit) (merkle.Digest, error) {
	b, err := n.appendOwn(make([]byte, 0, len(n.Content)+64), emit)
	if err != nil {
		return merkle.Digest{}, err
	}
	return seal(b, emit)
}

// appendOwn appends the own block; the content is last.
func (n *Node) appendOwn(b []byte, emit Emit) ([]byte, error) {
	b = merkle.AppendMap(b, ownFields)
	b = merkle.AppendUint(merkle.AppendText(b, "f"), Format)
	b = merkle.AppendText(merkle.AppendText(b, "type"), n.Type)
	b, err := appendAttrs(merkle.AppendText(b, "attrs"), n.Attrs, emit)
	b = merkle.AppendText(b, "content")
	if err != nil || n.Bare {
		return merkle.AppendNull(b), err
	}
	return merkle.AppendContent(b, n.Content, emit)
}

// readHead reads an own block up to its content, and returns the encoded attributes. If the
// format is unknown, it reads only the format.
func readHead(r *merkle.Reader) (format uint64, typ string, attrs []byte) {
	r.FixedMap(ownFields)
	r.Key("f")
	if format = r.Uint(); format != Format {
		return format, "", nil
	}
	r.Key("type")
	typ = r.Text()
	r.Key("attrs")
	attrs = r.Raw()
	r.Key("content")
	return format, typ, attrs
}

// Blocks passes the blocks of a node to emit: the blocks that its own block links to, then
// the own block. It does not recompute the digest.
func (n *Node) Blocks(emit Emit) error {
	h := hashers.Get().(*hasher)
	defer hashers.Put(h)
	b, err := n.appendOwn(h.block[:0], emit)
	if err != nil {
		return err
	}
	h.block = b
	return emit(n.Own, b)
}

// VersionBlock returns the Merkle digest of a node: its own digest when it has
// no children, else the digest of {f, own, kids}. emit as in OwnBlock.
func VersionBlock(own merkle.Digest, kids []merkle.Digest, emit Emit) (merkle.Digest, error) {
	if len(kids) == 0 {
		return own, nil
	}
	h := hashers.Get().(*hasher)
	defer hashers.Put(h)
	b, err := appendVersion(h.block[:0], own, kids, emit)
	if err != nil {
		return merkle.Digest{}, err
	}
	h.block = b
	return seal(b, emit)
}

// appendVersion appends the block of a node with children.
func appendVersion(b []byte, own merkle.Digest, kids []merkle.Digest, emit Emit) ([]byte, error) {
	b = merkle.AppendMap(b, versionFields)
	b = merkle.AppendUint(merkle.AppendText(b, "f"), Format)
	b = merkle.AppendLink(merkle.AppendText(b, "own"), own)
	return merkle.AppendKids(merkle.AppendText(b, "kids"), kids, emit)
}

func seal(block []byte, emit Emit) (merkle.Digest, error) {
	d := merkle.Sum(block)
	if emit == nil {
		return d, nil
	}
	return d, emit(d, block)
}

// Hash sets the own digests and versions of a document's nodes, given in document order,
// from their bytes and children. The nodes must not be in a state.
func Hash(nodes []*Node) {
	h := hashers.Get().(*hasher)
	defer hashers.Put(h)
	for _, n := range nodes {
		h.block, _ = n.appendOwn(h.block[:0], nil) // no emit, no error
		n.Own = merkle.Sum(h.block)
	}
	h.versions = append(h.versions[:0], make([]merkle.Digest, len(nodes))...)
	free := len(nodes)
	for _, n := range slices.Backward(nodes) {
		kids := h.versions[free:]
		kids = kids[:min(len(n.Kids), len(kids))] // the first child is next
		if n.Version = n.Own; len(kids) > 0 {
			h.block, _ = appendVersion(h.block[:0], n.Own, kids, nil)
			n.Version = merkle.Sum(h.block)
		}
		free += len(kids) - 1
		h.versions[free] = n.Version
	}
}

// hasher is reusable memory for blocks.
type hasher struct {
	block    []byte
	versions []merkle.Digest // its tail holds the versions of later nodes whose parent is not hashed yet
}

var hashers = sync.Pool{New: func() any { return new(hasher) }}

// ReadOwn decodes the own block with digest d and returns the hashed fields of the node:
// Type, Content, Bare, Attrs and Own. get fetches the block and the blocks it links to.
// Errors: ErrDigest, ErrFormat, and those of get.
func ReadOwn(d merkle.Digest, get func(merkle.Digest) ([]byte, error)) (*Node, error) {
	block, err := get(d)
	if err != nil {
		return nil, err
	}
	if merkle.Sum(block) != d {
		return nil, fmt.Errorf("node: own block %s: %w", d, ErrDigest)
	}
	r := merkle.NewReader(block)
	format, typ, attrs := readHead(r)
	if r.Err() == nil && format != Format {
		return nil, fmt.Errorf("node: own block %s: format %d: %w", d, format, ErrFormat)
	}
	n := &Node{Entry: Entry{Own: d}, Type: typ}
	if err = r.Err(); err == nil {
		n.Attrs, err = readAttrs(attrs, get)
	}
	switch {
	case err != nil:
	case r.Peek() == merkle.KindNull:
		r.Null()
		n.Bare = true
	default:
		n.Content, err = merkle.ReadContent(r, get)
	}
	if err == nil {
		err = r.Done()
	}
	if err != nil {
		return nil, fmt.Errorf("node: own block %s: %w", d, err)
	}
	return n, nil
}

// ReadVersion decodes the block of a version; get fetches the lists of many children. ok is
// false for a block of another kind, such as the own block of a node without children.
func ReadVersion(block []byte, get func(merkle.Digest) ([]byte, error)) (own merkle.Digest, kids []merkle.Digest, ok bool, err error) {
	r := merkle.NewReader(block)
	if n := r.Map(); n != versionFields || r.Err() != nil {
		return own, nil, false, nil
	}
	r.Key("f")
	if f := r.Uint(); r.Err() == nil && f != Format {
		return own, nil, true, fmt.Errorf("node: version: format %d: %w", f, ErrFormat)
	}
	r.Key("own")
	own = r.Link()
	r.Key("kids")
	if r.Err() == nil {
		kids, err = merkle.ReadKids(r, get)
	}
	if err == nil {
		err = r.Done()
	}
	if err != nil {
		err = fmt.Errorf("node: version: %w", err)
	}
	return own, kids, true, err
}

// ContentSize returns the size in bytes of the content of an own block, without reading
// chunks.
func ContentSize(block []byte) (int64, error) {
	r := merkle.NewReader(block)
	readHead(r)
	size := uint64(0)
	switch {
	case r.Err() != nil:
	case r.Peek() == merkle.KindBytes:
		size = uint64(len(r.Bytes()))
	case r.Peek() == merkle.KindList:
		r.List()
		size = min(r.Uint(), merkle.MaxContent+1)
	}
	if err := r.Err(); err != nil {
		return 0, fmt.Errorf("node: own block: %w", err)
	}
	return int64(size), nil
}

// Links returns the digests of the blocks with the content of an own block: none for a
// version, or for an own block that contains its content. get fetches them.
func Links(block []byte, get func(merkle.Digest) ([]byte, error)) ([]merkle.Digest, error) {
	if r := merkle.NewReader(block); r.Map() != ownFields || r.Err() != nil {
		return nil, nil
	}
	r := merkle.NewReader(block)
	if _, _, attrs := readHead(r); r.Peek() == merkle.KindBytes && len(attrs) == 1 {
		return nil, nil // no attributes, and the content is in the block, as in most nodes
	}
	own := merkle.Sum(block)
	var links []merkle.Digest
	_, err := ReadOwn(own, func(d merkle.Digest) ([]byte, error) {
		if d == own {
			return block, nil
		}
		links = append(links, d)
		return get(d)
	})
	return links, err
}

// ownFields is the number of fields of an own block; a version has another number.
const ownFields = 4

// versionFields is the number of fields of a version.
const versionFields = 3
