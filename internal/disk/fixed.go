// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"

	"github.com/fovea-memory/fovea/internal/store"
)

// The format number of every file of a store. A reader refuses another major number, and
// opens a history with a larger minor one read-only.
const (
	formatMajor = 1
	formatMinor = 0
)

// unknownFormat returns an error that wraps ErrUnknownFormat and names a format number.
func unknownFormat(major, minor uint16) error {
	if major < formatMajor {
		return fmt.Errorf("the folder has format %d.%d, of an early build; move it away, and a new history begins from the files: %w",
			major, minor, store.ErrUnknownFormat)
	}
	return fmt.Errorf("the folder has format %d.%d, this version reads %d.x: %w", major, minor, formatMajor, store.ErrUnknownFormat)
}

// What surrounds the records is laid out as structs of a fixed size: their fields follow one
// another without gaps, and numbers are little-endian. The pages of doc/format show each.

// preamble begins such a file: a magic word, and the format number.
type preamble struct {
	Magic        [8]byte
	Major, Minor uint16
}

func preambleOf(magic string) preamble {
	return preamble{[8]byte([]byte(magic)), formatMajor, formatMinor}
}

// known returns ErrUnknownFormat for another major number.
func (p preamble) known() error {
	if p.Major != formatMajor {
		return unknownFormat(p.Major, p.Minor)
	}
	return nil
}

// appendFixed appends a struct of a fixed size, or a slice of such structs.
func appendFixed(b []byte, fixed any) []byte {
	b, _ = binary.Append(b, binary.LittleEndian, fixed) // no error: the size is fixed
	return b
}

// readFixed reads what appendFixed appended into a struct or a slice. b is long enough.
func readFixed(b []byte, fixed any) {
	_, _ = binary.Decode(b, binary.LittleEndian, fixed) // no error: the size is fixed
}

// begins reports whether bytes begin with a word.
func begins(b []byte, magic string) bool {
	return len(b) >= len(magic) && string(b[:len(magic)]) == magic
}

// digested appends the SHA-256 of the bytes.
func digested(b []byte) []byte {
	sum := sha256.Sum256(b)
	return append(b, sum[:]...)
}

// undigested removes the digest that digested appended; false if it does not match, or if b begins with another
// word.
func undigested(b []byte, magic string) ([]byte, bool) {
	end := len(b) - sha256.Size
	if end < 0 || !begins(b, magic) || sha256.Sum256(b[:end]) != [sha256.Size]byte(b[end:]) {
		return nil, false
	}
	return b[:end], true
}
