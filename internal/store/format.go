// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package store

import (
	"encoding/binary"
	"fmt"
)

// The format number of every file of a store. A reader refuses another major number, and
// opens a history with a larger minor one read-only.
const (
	FormatMajor = 1
	FormatMinor = 0
)

// UnknownFormat returns an error that wraps ErrUnknownFormat and names a format number.
func UnknownFormat(major, minor uint16) error {
	if major < FormatMajor {
		return fmt.Errorf("the folder has format %d.%d, of a build before the formats were settled; move it away, and the history begins anew from the files: %w",
			major, minor, ErrUnknownFormat)
	}
	return fmt.Errorf("the folder has format %d.%d, this version reads %d.x: %w", major, minor, FormatMajor, ErrUnknownFormat)
}

// PutFormat puts the numbers of the format into a header, as CheckFormat reads them.
func PutFormat(header []byte) {
	binary.LittleEndian.PutUint16(header, FormatMajor)
	binary.LittleEndian.PutUint16(header[2:], FormatMinor)
}

// CheckFormat returns ErrUnknownFormat if the major number in a header is another one. The
// numbers are 16 bits each, little-endian, the major one first.
func CheckFormat(header []byte) error {
	if major := binary.LittleEndian.Uint16(header); major != FormatMajor {
		return UnknownFormat(major, binary.LittleEndian.Uint16(header[2:]))
	}
	return nil
}
