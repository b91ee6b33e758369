// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package proof

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"unicode/utf8"
)

// Limits and names of the format.
const (
	Format   = "fovea proof 1" // the beginning of each proof; 1 is the number of the format
	MaxFile  = 8 << 20         // bytes of a proof
	MaxNote  = 1 << 20         // bytes of a note
	MaxSteps = 64              // nodes of the map on the path to a note
)

// File is a proof, as JSON in this order. It is about a note, an absent id, or two heads:
// exactly one of Note, Absent and From is set.
type File struct {
	Format string  `json:"format"`
	Head   string  `json:"head"`             // the signed head
	From   string  `json:"from,omitempty"`   // an earlier one, whose history Head contains
	Moment *Moment `json:"moment,omitempty"` // an earlier commit that the proof is about; else it is about Head's
	Log    []byte  `json:"log,omitempty"`    // hashes that lead from Moment or From to the log of Head, 32 bytes each
	Note   *Note   `json:"note,omitempty"`
	Absent string  `json:"absent,omitempty"` // the id
	Map    []Step  `json:"map,omitempty"`    // the nodes of the Merkle map on the path to the note, from the root
	Other  *Other  `json:"other,omitempty"`  // the leaf at the place of the absent id
}

// Moment is a commit as recorded in the log. Digests are CIDs.
type Moment struct {
	Seq    int64  `json:"seq"`
	Commit string `json:"commit"`
	Root   string `json:"root"`
	Time   string `json:"time"`
}

// Note is a note and its place. One of Text and Block is set.
type Note struct {
	ID      string  `json:"id"`
	Path    string  `json:"path"`             // the document that it is in
	Parent  []byte  `json:"parent,omitempty"` // SHA-256 of the id of the note above it, 32 bytes; none for a document
	Version string  `json:"version"`          // CID of the note with all below it
	Type    string  `json:"type,omitempty"`   // document or headline; none with Block
	Text    *string `json:"text,omitempty"`   // its bytes
	Block   []byte  `json:"block,omitempty"`  // the own block of a node that is not UTF-8, or has attributes or no text
}

// Step is a node of the map: bitmaps of its 16 slots, and the digests beside the path.
type Step struct {
	Kids   uint16 `json:"kids"`
	Leaves uint16 `json:"leaves"`
	Beside []byte `json:"beside,omitempty"` // 32 bytes each
}

// Other is a leaf of another key.
type Other struct {
	Key   []byte `json:"key"`   // SHA-256 of its id
	Value []byte `json:"value"` // SHA-256 of its value, which is not shown
}

var errForm = errors.New("a note with a block has no type, and its content is one that only a block can hold")

// Encode returns the only form of a proof: a line of JSON. It returns an error for a note with
// a block if Text can hold its content.
func (f *File) Encode() ([]byte, error) {
	if n := f.Note; n != nil && n.Block != nil && (n.Type != "" || isPlain(n.Block)) {
		return nil, errForm
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(f)
	return b.Bytes(), err
}

// isPlain reports whether an own block {f, type, attrs, content} has no attributes, and a
// content that is UTF-8 or is in other blocks, which it does not mention.
func isPlain(block []byte) bool {
	_, content, found := bytes.Cut(block, slices.Concat(str("attrs"), item(0x80, 0), str("content"))) // which no type or attribute can contain
	for head := 1; head <= min(len(content), 5); head++ {
		if bytes.Equal(content[:head], item(0x40, len(content)-head)) {
			return found && utf8.Valid(content[head:])
		}
	}
	return found && len(content) > 0 && content[0]>>5 == 0x80>>5
}
