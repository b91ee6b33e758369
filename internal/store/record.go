// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package store

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
)

// Kind is the kind of a record's content. To a store it only matters whether a record can be found by digest,
// as Block and Commit records can.
type Kind uint8

// The kinds of records.
const (
	// Block is a block named by its digest: the SHA-256 of the data.
	Block Kind = 1
	// Intent announces a change of a file before it is made. Any later batch settles it; a pack then leaves it
	// out.
	Intent Kind = 2
	// Commit is a commit's block, found by digest like any Block.
	Commit Kind = 3
	// Mark is a note on the chain, such as a named snapshot.
	Mark Kind = 4
	// Pad fills space; Replay leaves it out.
	Pad Kind = 5
)

var kindNames = [...]string{Block: "block", Intent: "intent", Commit: "commit", Mark: "mark", Pad: "pad"}

// Known reports whether the kind is one of the constants.
func (k Kind) Known() bool { return k >= Block && k <= Pad }

// HasDigest reports whether records of the kind are found by digest.
func (k Kind) HasDigest() bool { return k == Block || k == Commit }

// String returns the kind in words.
func (k Kind) String() string {
	if k.Known() {
		return kindNames[k]
	}
	return fmt.Sprintf("kind %d", uint8(k))
}

// Pos is a place in the history: the end of a batch, or the start of a record. It is comparable. The zero Pos
// is the beginning.
type Pos struct {
	// Segment is the number of the journal's file, from 1.
	Segment uint64
	// Offset is the place in that file, in bytes.
	Offset int64
}

// Compare orders positions as records are in the history: -1, 0 or +1.
func (p Pos) Compare(q Pos) int {
	return cmp.Or(cmp.Compare(p.Segment, q.Segment), cmp.Compare(p.Offset, q.Offset))
}

// String returns SEGMENT:OFFSET.
func (p Pos) String() string { return fmt.Sprintf("%d:%d", p.Segment, p.Offset) }

// Record is one record of the history.
type Record struct {
	// Kind is the kind of the data.
	Kind Kind
	// Batch is the number of the batch, from 1; the records of one Append share it. A number is missing if
	// packing left out all records of the batch.
	Batch uint64
	// Pos is the record's position, or its position before it was packed. A Replay can start from it only if
	// the record is the first of its batch.
	Pos Pos
	// Data is the record's content. It is the store's and valid until the
	// function that got it returns.
	Data []byte
}

// MaxData is the largest record's data in bytes.
const MaxData = 1<<30 - 1

// A batch concatenates its records, each with Headroom bytes before its data and zeros after it up to a
// multiple of Align, so that a store can put its own header there and write the batch without copying it. The
// headroom begins with the length of the data as a little-endian uint32 and the kind as a byte; the rest of it
// is zero.
const (
	Headroom = 20
	Align    = 8

	kindAt = 4
)

// Batch is records that become durable together or not at all. The zero Batch is empty
// and ready. A Batch is used by one goroutine, and for one Append.
type Batch struct {
	buf    []byte
	count  int
	intent bool
	late   bool
	err    error
}

// Defer lets Append return before the batch is synced: it becomes durable with the next
// batch that is not deferred, with an image, or when the store is closed. A loss of power
// before that takes it back, and nothing before it; a crash of the process does not.
func (b *Batch) Defer() { b.late = true }

// IsDeferred reports whether the batch needs no sync of its own. One with an Intent does: a file change
// follows.
func (b *Batch) IsDeferred() bool { return b.late && !b.intent }

// Add appends a record; data is copied. A kind that is not one of the constants and data
// over MaxData make Append fail with ErrKind and ErrTooLarge.
func (b *Batch) Add(kind Kind, data []byte) {
	switch {
	case b.err != nil:
		return
	case !kind.Known():
		b.err = fmt.Errorf("add record: %v: %w", kind, ErrKind)
		return
	case len(data) > MaxData:
		b.err = fmt.Errorf("add record: %d bytes: %w", len(data), ErrTooLarge)
		return
	}
	size := RecordSize(len(data))
	b.buf = slices.Grow(b.buf, size)
	start := len(b.buf)
	b.buf = binary.LittleEndian.AppendUint32(b.buf, uint32(len(data)))
	b.buf = append(b.buf, byte(kind))
	b.buf = append(b.buf, make([]byte, Headroom-kindAt-1)...)
	b.buf = append(b.buf, data...)
	b.buf = append(b.buf, make([]byte, start+size-len(b.buf))...)
	b.count++
	b.intent = b.intent || kind == Intent
}

// RecordSize returns the size in a Batch of a record with that many bytes of data.
func RecordSize(data int) int { return (Headroom + data + Align - 1) &^ (Align - 1) }

// Grow makes room for that many more bytes, headroom included, so that a large batch is not
// copied while it grows. It is a hint.
func (b *Batch) Grow(bytes int) { b.buf = slices.Grow(b.buf, max(0, bytes)) }

// Len returns the number of records.
func (b *Batch) Len() int { return b.count }

// Size returns the size of the batch in bytes, headroom included.
func (b *Batch) Size() int64 { return int64(len(b.buf)) }

// Err returns the reason why Append refuses the batch, or nil.
func (b *Batch) Err() error { return b.err }

// Bytes returns the concatenated records for the store that appends the batch. They belong to the batch; that
// store may fill in the headroom.
func (b *Batch) Bytes() []byte { return b.buf }
