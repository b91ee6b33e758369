// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package store

import (
	"errors"
	"fmt"
	"slices"
)

var (
	// ErrNotFound is returned by Block when no record holds a block of the digest.
	ErrNotFound = errors.New("no such block")
	// ErrPurged is returned by Block for a block that Rewrite dropped. The Purged
	// that wraps it names the commit that did.
	ErrPurged = errors.New("block was purged")
	// ErrNoImage is returned by LoadImage when there is no image that verifies.
	ErrNoImage = errors.New("no usable image")
	// ErrReadOnly is returned by writes after a write error, after corruption,
	// and when a newer version wrote the folder. It wraps the cause.
	ErrReadOnly = errors.New("store is read-only until it is reopened")
	// ErrReplaced is returned by writes, and by InPlace, when a folder or file that the next opening needs is
	// not where the store left it. ErrReadOnly then wraps it.
	ErrReplaced = errors.New("moved, removed or replaced while it was open")
	// ErrCorrupt is returned when acknowledged data is damaged or missing. The Corruption that wraps it names
	// the place.
	ErrCorrupt = errors.New("stored data is damaged")
	// ErrUnknownFormat is returned when a file has a format number that this
	// version cannot read. The file is left unchanged.
	ErrUnknownFormat = errors.New("unknown format")
	// ErrClosed is returned by a store after Close.
	ErrClosed = errors.New("store is closed")
	// ErrTooLarge is returned when a record or an image exceeds its format.
	ErrTooLarge = errors.New("larger than the format allows")
	// ErrKind is returned for a record of a kind that is not one of the constants.
	ErrKind = errors.New("unknown kind of record")
	// ErrSection is returned by WriteImage for a section name that is empty, too long, used twice or not
	// printable ASCII.
	ErrSection = errors.New("section name not allowed")
)

// Corruption names acknowledged data that is damaged or missing. As an error it
// wraps ErrCorrupt.
type Corruption struct {
	// File is the file's name within the state folder.
	File string
	// Segment is the segment's number if the file is one, else 0.
	Segment uint64
	// Offset is the position in the file, in bytes, at which the damage begins.
	Offset int64
	// Reason is the defect, such as "checksum mismatch".
	Reason string
}

// Error names the file, the offset and the reason.
func (c *Corruption) Error() string {
	return fmt.Sprintf("%s: byte %d: %s", c.File, c.Offset, c.Reason)
}

// Unwrap returns ErrCorrupt.
func (c *Corruption) Unwrap() error { return ErrCorrupt }

// LacksHistory reports whether an error is damage of the history itself. A state folder whose FORMAT is damaged
// still has all of it.
func LacksHistory(err error) bool {
	c, damaged := errors.AsType[*Corruption](err)
	return damaged && c.File != FormatFile
}

// Purged means that a block was dropped on purpose. As an error it wraps
// ErrPurged.
type Purged struct {
	// By is the number of the commit that gives the reason.
	By uint64
}

// Error names the commit.
func (p *Purged) Error() string { return fmt.Sprintf("%v by commit %d", ErrPurged, p.By) }

// Unwrap returns ErrPurged.
func (p *Purged) Unwrap() error { return ErrPurged }

// Recovery is what opening a store found, and what LoadImage and Replay have found since. The zero Recovery
// means no problem.
type Recovery struct {
	// TornBytes is the number of bytes of interrupted writes at the journal's end. They were never
	// acknowledged; Open has removed them.
	TornBytes int64
	// TornBatches is the number of recognizable batches in them, at least 1 if there are TornBytes.
	TornBatches int
	// Corrupt is the first damage to acknowledged data that was found, nil for none. The store is then
	// read-only.
	Corrupt *Corruption
	// HeadDamaged means that the file head cannot be read. The store works, but cannot check whether the
	// journal lost its end.
	HeadDamaged bool
	// DroppedSections names the derived sections of the loaded image that are
	// damaged and were left out.
	DroppedSections []string
	// DamagedImages names the image files that cannot be used. The next
	// WriteImage moves them to quarantine.
	DamagedImages []string
}

// Clone returns a copy that shares nothing with r.
func (r Recovery) Clone() Recovery {
	if r.Corrupt != nil {
		r.Corrupt = new(*r.Corrupt)
	}
	r.DroppedSections = slices.Clone(r.DroppedSections)
	r.DamagedImages = slices.Clone(r.DamagedImages)
	return r
}
