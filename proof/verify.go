// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package proof

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// Verdict is the statement that a proof proves.
type Verdict struct {
	Claim string // the sentence that is proved
	Key   string // who signed the head, NAME+HASH, and where
	Note  []byte // the bytes of the note; nil if the proof is not about a note
}

type digest = [sha256.Size]byte

// head is a signed head that a known key has signed.
type head struct {
	first, commit, root, time, key string
	seq                            int64
	log                            tlog.Hash // zero for none
}

// Check verifies a proof against the keys that may sign heads. The error names the part
// that is wrong.
func Check(data []byte, keys note.Verifiers) (v Verdict, err error) {
	var f File
	if len(data) > MaxFile || json.Unmarshal(data, &f) != nil || f.Format != Format {
		return v, fmt.Errorf("not a %s", Format)
	}
	if again, err := f.Encode(); err != nil || !bytes.Equal(again, data) {
		return v, errors.New("not in the one form of a proof")
	}
	if keys == nil {
		keys = note.VerifierList()
	}
	h, err := openHead(f.Head, keys)
	if err != nil {
		return v, fmt.Errorf("head: %w", err)
	}
	claim, text := "", []byte(nil)
	switch {
	case f.From != "" && f.Note == nil && f.Absent == "" && f.Moment == nil && f.Map == nil && f.Other == nil:
		claim, err = f.checkHeads(h, keys)
	case f.From == "" && (f.Note == nil) != (f.Absent == ""):
		claim, text, err = f.checkNote(h)
	default:
		err = errors.New("not about one note, one absent id or two heads")
	}
	if err == nil {
		v = Verdict{claim, fmt.Sprintf("%s, at commit %d", h.key, h.seq), text}
	}
	return v, err
}

// openHead reads a signed head: doc/format/nodes.md, Signed heads.
func openHead(signed string, keys note.Verifiers) (h head, err error) {
	n, err := note.Open([]byte(signed), keys)
	if err != nil {
		return h, err
	}
	line := strings.Split(n.Text, "\n")
	if len(line) < 6 || !strings.HasPrefix(line[0], "fovea head 0 ") {
		return h, errors.New("a known key signed it, but it is not a head")
	}
	h = head{first: line[0][len("fovea head 0 "):], commit: line[2], root: line[3], time: line[4]}
	h.key = fmt.Sprintf("%s+%08x", n.Sigs[0].Name, n.Sigs[0].Hash)
	h.seq, err = strconv.ParseInt(line[1], 10, 64)
	for _, more := range line[5:] {
		if root, ok := strings.CutPrefix(more, "log "); ok && err == nil {
			h.log, err = tlog.ParseHash(root)
		}
	}
	return h, err
}

// checkHeads verifies that the log of a head begins with the log of an earlier one.
func (f *File) checkHeads(h head, keys note.Verifiers) (string, error) {
	from, err := openHead(f.From, keys)
	if err != nil {
		return "", fmt.Errorf("earlier head: %w", err)
	}
	path, err := hashes(f.Log)
	if none := (tlog.Hash{}); err != nil || h.first != from.first || h.log == none || from.log == none {
		return "", errors.New("the heads are of two memories, or one names no log of commits")
	}
	if err := tlog.CheckTree(path, h.seq, h.log, from.seq, from.log); err != nil {
		return "", fmt.Errorf("the history of the later head does not begin with that of the earlier one: %w", err)
	}
	return fmt.Sprintf("the history of memory %s up to commit %d (%s) contains all of it up to commit %d (%s), which %s signed",
		h.first, h.seq, h.time, from.seq, from.time, from.key), nil
}

// checkNote verifies that a note was in the map of a moment, or that no note with an id was.
func (f *File) checkNote(h head) (claim string, text []byte, err error) {
	at := Moment{h.seq, h.commit, h.root, h.time}
	if f.Moment != nil { // an earlier commit, which the log of the head has
		at = *f.Moment
		path, err := hashes(f.Log)
		if err != nil || at.Seq == h.seq {
			return "", nil, cmp.Or(err, errors.New("the moment is that of the head, which needs none"))
		}
		record := fmt.Sprintf("%s\n%s\n%s\n", at.Commit, at.Root, at.Time)
		if err := tlog.CheckRecord(path, h.seq, h.log, at.Seq-1, tlog.RecordHash([]byte(record))); err != nil {
			return "", nil, fmt.Errorf("the moment is not in the history of the head: %w", err)
		}
	} else if len(f.Log) > 0 {
		return "", nil, errors.New("a log, but no moment")
	}
	root, err := cid(at.Root)
	if _, bad := time.Parse("2006-01-02T15:04:05.000Z", at.Time); err != nil || bad != nil {
		return "", nil, cmp.Or(err, bad)
	}
	id, value := f.Absent, []byte(nil)
	if f.Note != nil {
		id = f.Note.ID
		if value, text, err = f.Note.value(); err != nil {
			return "", nil, err
		}
	}
	if got, err := f.RootOf(sha256.Sum256([]byte(id)), value); err != nil || got != root {
		return "", nil, cmp.Or(err, errors.New("the memory of that moment is not one with this note, these bytes and this place"))
	}
	where := fmt.Sprintf("in memory %s at commit %d (%s)", h.first, at.Seq, at.Time)
	if f.Note == nil {
		return fmt.Sprintf("no note with the id %q was %s", id, where), nil, nil
	}
	return fmt.Sprintf("the note %q with these %d bytes stood in %q %s", id, len(text), f.Note.Path, where), text, nil
}

// RootOf computes the root of the map that has a value at a key, or nothing if value is
// nil: doc/format/map.md, Proofs.
func (f *File) RootOf(key [sha256.Size]byte, value []byte) (root [sha256.Size]byte, err error) {
	var way digest // digest of the node that was computed last
	bad := errors.New("the nodes do not form a map")
	if len(f.Map) == 0 || len(f.Map) > MaxSteps {
		return way, bad
	}
	for depth := len(f.Map) - 1; depth >= 0; depth-- { // from the end of the path to the root
		s, bit := f.Map[depth], uint16(1)<<(key[depth/2]>>(4-depth%2*4)&15) // by the key's hex digit
		slots, leaf := s.Kids|s.Leaves, s.Leaves&bit != 0
		links, err := hashes(s.Beside)
		if err != nil || s.Kids&s.Leaves != 0 || depth > 0 && s.Kids == 0 && bits.OnesCount16(s.Leaves) < 2 {
			return way, bad
		}
		switch o := f.Other; {
		case depth < len(f.Map)-1: // way is the child
			if s.Kids&bit == 0 {
				return way, bad
			}
		case value != nil && leaf && o == nil:
			way = leafOf(key, sha256.Sum256(value))
		case value == nil && leaf && o.inPlace(key, depth):
			way = leafOf(digest(o.Key), digest(o.Value))
		case value != nil || slots&bit != 0 || o != nil:
			return way, errors.New("the path to the note does not end there")
		}
		at, n := bits.OnesCount16(slots&(bit-1)), bits.OnesCount16(slots)
		if slots&bit == 0 {
			at = -1 // no entry of this node is on the path
		}
		if n > 4 { // entries are in groups of four
			if at >= 0 {
				way, links = list(nil, min(4, n-at/4*4), at%4, way, links)
				at /= 4
			}
			n = (n + 3) / 4
		}
		node := slices.Concat(item(0xa0, 4), str("f"), item(0, 1), str("kids"), item(0, int(s.Kids)), str("leaves"), item(0, int(s.Leaves)), str("entries"))
		if way, links = list(node, n, at, way, links); links == nil || len(links) > 0 {
			return way, bad
		}
	}
	return way, nil
}

// list returns the digest of a block that ends with a list of n links, where way is the
// one at a place and the others are the first of links. It returns the remaining links,
// nil if there are too few.
func list(block []byte, n, at int, way digest, links []tlog.Hash) (digest, []tlog.Hash) {
	block = append(block, item(0x80, n)...)
	for i := range n {
		switch {
		case i == at:
			block = append(block, link(way)...)
		case len(links) == 0:
			return way, nil
		default:
			block, links = append(block, link(digest(links[0]))...), links[1:]
		}
	}
	return sha256.Sum256(block), links
}

func leafOf(key, value digest) digest {
	return sha256.Sum256(slices.Concat(item(0x80, 2), bin(key[:]), link(value)))
}

// inPlace reports whether the leaf has another key that belongs in the same slot.
func (o *Other) inPlace(key digest, depth int) bool {
	return o != nil && len(o.Key) == 32 && len(o.Value) == 32 && digest(o.Key) != key &&
		fmt.Sprintf("%x", o.Key)[:depth+1] == fmt.Sprintf("%x", key)[:depth+1]
}

// value returns the value of a note in the map, [id, own, version, parent, path], and the
// note's bytes; own is the digest of the block {f, type, attrs, content}.
func (n *Note) value() (value, shown []byte, err error) {
	version, err := cid(n.Version)
	content, block := n.Block, n.Block
	if n.Text != nil {
		content = []byte(*n.Text)
		block = slices.Concat(item(0xa0, 4), str("f"), item(0, 0), str("type"), str(n.Type), str("attrs"), item(0x80, 0), str("content"), chunks(content))
	}
	parent := []byte{0xf6} // null
	if n.Parent != nil {
		parent = bin(n.Parent)
	}
	if (n.Text == nil) == (n.Block == nil) || len(content) > MaxNote || n.Parent != nil && len(n.Parent) != 32 {
		err = errors.New("not one note, or too long, or its parent is not a key")
	}
	return slices.Concat(item(0x80, 5), str(n.ID), link(sha256.Sum256(block)), link(version), parent, bin([]byte(n.Path))), content, err
}

// chunks encodes a content: doc/format/codec.md, Contents.
func chunks(content []byte) []byte {
	const size = 64 << 10
	if len(content) <= size {
		return bin(content)
	}
	b := append(item(0x80, 1+(len(content)+size-1)/size), item(0, len(content))...)
	for chunk := range slices.Chunk(content, size) {
		b = append(b, link(sha256.Sum256(bin(chunk)))...)
	}
	return b
}

// item is the head of a CBOR item: its major type and number, in the shortest form.
func item(major byte, n int) []byte {
	switch {
	case n < 24:
		return []byte{major | byte(n)}
	case n < 1<<8:
		return []byte{major | 24, byte(n)}
	case n < 1<<16:
		return binary.BigEndian.AppendUint16([]byte{major | 25}, uint16(n))
	}
	return binary.BigEndian.AppendUint32([]byte{major | 26}, uint32(n))
}

func str(s string) []byte { return append(item(0x60, len(s)), s...) }
func bin(b []byte) []byte { return append(item(0x40, len(b)), b...) }

// link is a CBOR link: tag 42 and a CID, version 1, dag-cbor, sha2-256.
func link(d digest) []byte { return append([]byte("\xd8\x2a\x58\x25\x00\x01\x71\x12\x20"), d[:]...) }

// cid returns the digest in the text form of such a CID.
func cid(s string) (d digest, err error) {
	code := base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)
	raw, err := code.DecodeString(strings.TrimPrefix(s, "b"))
	if err != nil || len(raw) != 36 || string(raw[:4]) != "\x01\x71\x12\x20" || "b"+code.EncodeToString(raw) != s {
		return d, fmt.Errorf("%q is not a digest", s)
	}
	return digest(raw[4:]), nil
}

// hashes cuts bytes into digests. The list is not nil.
func hashes(b []byte) ([]tlog.Hash, error) {
	if len(b)%32 != 0 || len(b) > 64*32 {
		return nil, errors.New("not a list of digests")
	}
	all := []tlog.Hash{}
	for h := range slices.Chunk(b, 32) {
		all = append(all, tlog.Hash(h))
	}
	return all, nil
}
