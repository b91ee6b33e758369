// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package image

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io"
	"strings"

	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/merkle"
)

// Layout of an image; see doc/format/image.md.
const (
	imageMagic      = "FOVEAIMG"
	imageHeaderSize = 88
	imageEntrySize  = 88
	imageFooterSize = 80
	imageAlign      = 8

	imageMagicAt    = 0
	imageMajorAt    = 8  // uint16
	imageMinorAt    = 10 // uint16
	imageSectionsAt = 12 // uint32
	imageSeqAt      = 16 // uint64
	imageSegmentAt  = 24 // uint64
	imageOffsetAt   = 32 // uint64
	imageSizeAt     = 40 // uint64, of the whole file
	imageCommitAt   = 48 // 32 bytes; 8 bytes reserved behind

	entryNameAt   = 0  // 32 bytes, zeros behind the name
	entryOffsetAt = 32 // uint64
	entryLengthAt = 40 // uint64
	entryFlagsAt  = 48 // uint32; 4 bytes reserved behind
	entryDigestAt = 56 // SHA-256 of the section

	entryDerived = 1 // the section can be made from the others

	footerMagic    = "FOVEAEND"
	footerMagicAt  = 0
	footerCommitAt = 8  // 32 bytes
	footerDigestAt = 40 // SHA-256 of header and table; 8 bytes reserved behind
)

// Magics are the words that an image begins and ends with.
var Magics = [...]string{imageMagic, footerMagic}

func align(n int64) int64 { return (n + imageAlign - 1) &^ (imageAlign - 1) }

// Write writes an image. The sections are written as they are, not copied. Errors: those of w.
func Write(w io.Writer, img *store.Image) error {
	front := make([]byte, imageHeaderSize, imageHeaderSize+imageEntrySize*len(img.Sections))
	offset := int64(cap(front))
	for _, s := range img.Sections {
		var e [imageEntrySize]byte
		copy(e[entryNameAt:], s.Name)
		binary.LittleEndian.PutUint64(e[entryOffsetAt:], uint64(offset))
		binary.LittleEndian.PutUint64(e[entryLengthAt:], uint64(len(s.Data)))
		if s.Derived {
			binary.LittleEndian.PutUint32(e[entryFlagsAt:], entryDerived)
		}
		sum := sha256.Sum256(s.Data)
		copy(e[entryDigestAt:], sum[:])
		front = append(front, e[:]...)
		offset += align(int64(len(s.Data)))
	}
	copy(front[imageMagicAt:], imageMagic)
	store.PutFormat(front[imageMajorAt:])
	binary.LittleEndian.PutUint32(front[imageSectionsAt:], uint32(len(img.Sections)))
	binary.LittleEndian.PutUint64(front[imageSeqAt:], img.Seq)
	binary.LittleEndian.PutUint64(front[imageSegmentAt:], img.At.Segment)
	binary.LittleEndian.PutUint64(front[imageOffsetAt:], uint64(img.At.Offset))
	binary.LittleEndian.PutUint64(front[imageSizeAt:], uint64(offset+imageFooterSize))
	copy(front[imageCommitAt:], img.Commit[:])
	if _, err := w.Write(front); err != nil {
		return err
	}
	for _, s := range img.Sections {
		if _, err := w.Write(s.Data); err != nil {
			return err
		}
		if pad := align(int64(len(s.Data))) - int64(len(s.Data)); pad > 0 {
			if _, err := w.Write(make([]byte, pad)); err != nil {
				return err
			}
		}
	}
	var footer [imageFooterSize]byte
	copy(footer[footerMagicAt:], footerMagic)
	copy(footer[footerCommitAt:], img.Commit[:])
	sum := sha256.Sum256(front)
	copy(footer[footerDigestAt:], sum[:])
	_, err := w.Write(footer[:])
	return err
}

// entry is a row of the table of sections.
type entry struct {
	name           string
	offset, length int64
	derived        bool
	digest         [sha256.Size]byte
}

// ErrDamaged means that an image does not verify: its header, table or footer, or a section
// that is not derived.
var ErrDamaged = errors.New("image damaged")

// readFront reads and verifies everything but the sections.
func readFront(file vfs.File) (*store.Image, []entry, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, nil, err
	}
	size := info.Size()
	if size < imageHeaderSize+imageFooterSize {
		return nil, nil, ErrDamaged
	}
	front := make([]byte, imageHeaderSize)
	if _, err := file.ReadAt(front, 0); err != nil {
		return nil, nil, err
	}
	count := int64(binary.LittleEndian.Uint32(front[imageSectionsAt:]))
	if string(front[:len(imageMagic)]) != imageMagic || count > store.MaxSections ||
		binary.LittleEndian.Uint64(front[imageSizeAt:]) != uint64(size) || imageHeaderSize+count*imageEntrySize+imageFooterSize > size {
		return nil, nil, ErrDamaged
	}
	front = append(front, make([]byte, count*imageEntrySize)...)
	if _, err := file.ReadAt(front[imageHeaderSize:], imageHeaderSize); err != nil && err != io.EOF {
		return nil, nil, err
	}
	footer := make([]byte, imageFooterSize)
	if _, err := file.ReadAt(footer, size-imageFooterSize); err != nil && err != io.EOF {
		return nil, nil, err
	}
	sum := sha256.Sum256(front)
	if string(footer[:len(footerMagic)]) != footerMagic || string(footer[footerDigestAt:][:len(sum)]) != string(sum[:]) ||
		string(footer[footerCommitAt:footerDigestAt]) != string(front[imageCommitAt:][:merkle.DigestSize]) {
		return nil, nil, ErrDamaged
	}
	if err := store.CheckFormat(front[imageMajorAt:]); err != nil {
		return nil, nil, err
	}
	return decodeFront(front, size)
}

// decodeFront reads header and table, whose digest was verified.
func decodeFront(front []byte, size int64) (*store.Image, []entry, error) {
	img := &store.Image{
		Seq: binary.LittleEndian.Uint64(front[imageSeqAt:]),
		At:  store.Pos{Segment: binary.LittleEndian.Uint64(front[imageSegmentAt:]), Offset: int64(binary.LittleEndian.Uint64(front[imageOffsetAt:]))},
	}
	copy(img.Commit[:], front[imageCommitAt:])
	var entries []entry
	free := int64(len(front)) // sections stand in order, so that all of them take no more than the file
	for at := imageHeaderSize; at < len(front); at += imageEntrySize {
		e := front[at:][:imageEntrySize]
		row := entry{
			name:    strings.TrimRight(string(e[entryNameAt:][:store.MaxSectionName]), "\x00"),
			offset:  int64(binary.LittleEndian.Uint64(e[entryOffsetAt:])),
			length:  int64(binary.LittleEndian.Uint64(e[entryLengthAt:])),
			derived: binary.LittleEndian.Uint32(e[entryFlagsAt:])&entryDerived != 0,
		}
		copy(row.digest[:], e[entryDigestAt:])
		if row.offset < free || row.length < 0 || row.offset > size-imageFooterSize || row.length > size-imageFooterSize-row.offset {
			return nil, nil, ErrDamaged
		}
		free = row.offset + row.length
		entries = append(entries, row)
	}
	return img, entries, nil
}
