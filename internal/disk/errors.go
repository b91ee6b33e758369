// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/fovea-memory/fovea/internal/vfs"
)

var (
	// ErrNotFound is returned by Block when no record holds a block of the digest.
	ErrNotFound = errors.New("no such block")
	// ErrPurged is returned by Block for a block that Rewrite dropped. The Purged
	// that wraps it says which commit did.
	ErrPurged = errors.New("block was purged")
	// ErrNoImage is returned by LoadImage when there is no image that verifies.
	ErrNoImage = errors.New("no usable image")
	// ErrReadOnly is returned by writes after a write error, after corruption,
	// and when a newer version wrote the folder. It wraps the cause.
	ErrReadOnly = errors.New("store is read-only until it is reopened")
	// ErrReplaced is returned by writes, and by InPlace, when a folder or file that the
	// next opening needs is not where the store left it. ErrReadOnly wraps it then.
	ErrReplaced = errors.New("moved, removed or replaced while it was open")
	// ErrCorrupt is returned when acknowledged data is damaged or missing. The
	// Corruption that wraps it says where.
	ErrCorrupt = errors.New("stored data is damaged")
	// ErrOtherMemex is returned by Open when the folder belongs to another memex.
	// After a move of the memex, Adopt makes it the new one's.
	ErrOtherMemex = errors.New("state folder belongs to another memex")
	// ErrUnknownFormat is returned when a file has a format number that this
	// version cannot read. The file is left as it is.
	ErrUnknownFormat = errors.New("unknown format")
	// ErrForeignFolder is returned by Open when the folder has files and none of
	// them is FORMAT. They are left as they are.
	ErrForeignFolder = errors.New("folder is in use for something else")
	// ErrClosed is returned by a store after Close.
	ErrClosed = errors.New("store is closed")
	// ErrTooLarge is returned when a record or an image exceeds its format.
	ErrTooLarge = errors.New("larger than the format allows")
	// ErrKind is returned for a record of a kind that is not one of the constants.
	ErrKind = errors.New("unknown kind of record")
	// ErrSection is returned by WriteImage for a section name that is empty, too
	// long, used twice or has other than printable ASCII characters.
	ErrSection = errors.New("section name not allowed")
)

// Corruption says which acknowledged data is damaged or missing. As an error it
// wraps ErrCorrupt.
type Corruption struct {
	// File is the file's name within the state folder.
	File string
	// Segment is the segment's number if the file is one, else 0.
	Segment uint64
	// Offset is where in the file, in bytes, the damage begins.
	Offset int64
	// Reason says what is wrong, such as "checksum mismatch".
	Reason string
}

// Error names the file, the offset and the reason.
func (c *Corruption) Error() string {
	return fmt.Sprintf("%s: byte %d: %s", c.File, c.Offset, c.Reason)
}

// Unwrap returns ErrCorrupt.
func (c *Corruption) Unwrap() error { return ErrCorrupt }

// Purged says that a block was dropped on purpose. As an error it wraps
// ErrPurged.
type Purged struct {
	// By is the number of the commit that says why.
	By uint64
}

// Error names the commit.
func (p *Purged) Error() string { return fmt.Sprintf("%v by commit %d", ErrPurged, p.By) }

// Unwrap returns ErrPurged.
func (p *Purged) Unwrap() error { return ErrPurged }

// notRegular says what is in the place of a file, from an error that wraps
// vfs.ErrNotRegular.
func notRegular(err error) string {
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		err = at.Err
	}
	return err.Error()
}

// isNot returns a Corruption where an error says that something else than a regular
// file is in the place of one, else nil.
func isNot(err error, file string) *Corruption {
	if !errors.Is(err, vfs.ErrNotRegular) {
		return nil
	}
	return &Corruption{File: file, Reason: notRegular(err)}
}
