// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"io"
	"os"
	"strings"

	"github.com/fovea-memory/fovea/internal/bound"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/merkle"
)

// An image is a header, a table of sections, the sections and a footer; see
// doc/format/image.md.
const (
	imageHeaderSize = 88
	imageEntrySize  = 88
	imageFooterSize = 80
	imageAlign      = 8

	entryDerived = 1 // the section can be made from the others
)

// imageHeader begins an image.
type imageHeader struct {
	preamble
	Sections uint32
	Seq      uint64
	At       store.Pos
	Size     int64 // of the whole file
	Commit   merkle.Digest
	_        [8]byte
}

// imageEntry is a row of the table of sections.
type imageEntry struct {
	Name           [store.MaxSectionName]byte // padded with zeros
	Offset, Length int64
	Flags          uint32
	_              [4]byte
	Digest         [sha256.Size]byte // of the section
}

// imageFooter ends an image.
type imageFooter struct {
	Magic  [8]byte
	Commit merkle.Digest
	Digest [sha256.Size]byte // of header and table
	_      [8]byte
}

func align(n int64) int64 { return (n + imageAlign - 1) &^ (imageAlign - 1) }

// writeImage writes an image. The sections are written as they are, not copied. Errors: those of w.
func writeImage(w io.Writer, img *store.Image) error {
	h := imageHeader{preamble: preambleOf(store.ImageMagic), Sections: uint32(len(img.Sections)), Seq: img.Seq, At: img.At, Commit: img.Commit}
	offset := imageHeaderSize + imageEntrySize*int64(len(img.Sections))
	entries := make([]imageEntry, len(img.Sections))
	for i, s := range img.Sections {
		e := &entries[i]
		copy(e.Name[:], s.Name)
		e.Offset, e.Length, e.Digest = offset, int64(len(s.Data)), sha256.Sum256(s.Data)
		if s.Derived {
			e.Flags = entryDerived
		}
		offset += align(e.Length)
	}
	h.Size = offset + imageFooterSize
	front := appendFixed(appendFixed(nil, &h), entries)
	pieces := [][]byte{front}
	for _, s := range img.Sections {
		pieces = append(pieces, s.Data, make([]byte, align(int64(len(s.Data)))-int64(len(s.Data))))
	}
	footer := imageFooter{Commit: img.Commit, Digest: sha256.Sum256(front)}
	copy(footer.Magic[:], store.ImageEndMagic)
	for _, piece := range append(pieces, appendFixed(nil, &footer)) {
		if _, err := w.Write(piece); err != nil {
			return err
		}
	}
	return nil
}

// errImage means that an image does not verify: its header, table or footer, or a section
// that is not derived.
var errImage = errors.New("image damaged")

// readFront reads and verifies everything but the sections.
func readFront(file vfs.File) (h imageHeader, entries []imageEntry, err error) {
	stat, err := file.Stat()
	if err != nil {
		return h, nil, err
	}
	size := stat.Size()
	if size < imageHeaderSize+imageFooterSize {
		return h, nil, errImage
	}
	front := make([]byte, imageHeaderSize)
	if _, err := file.ReadAt(front, 0); err != nil {
		return h, nil, err
	}
	readFixed(front, &h)
	count := int64(h.Sections)
	if !begins(front, store.ImageMagic) || count > store.MaxSections || h.Size != size || imageHeaderSize+count*imageEntrySize+imageFooterSize > size {
		return h, nil, errImage
	}
	front = append(front, make([]byte, count*imageEntrySize)...)
	if _, err := file.ReadAt(front[imageHeaderSize:], imageHeaderSize); err != nil && err != io.EOF {
		return h, nil, err
	}
	end := make([]byte, imageFooterSize)
	if _, err := file.ReadAt(end, size-imageFooterSize); err != nil && err != io.EOF {
		return h, nil, err
	}
	var footer imageFooter
	readFixed(end, &footer)
	if !begins(end, store.ImageEndMagic) || footer.Digest != sha256.Sum256(front) || footer.Commit != h.Commit {
		return h, nil, errImage
	}
	entries = make([]imageEntry, count)
	readFixed(front[imageHeaderSize:], entries)
	free := int64(len(front)) // sections are in order, so together they are no larger than the file
	for _, e := range entries {
		if e.Offset < free || e.Length < 0 || e.Offset > size-imageFooterSize || e.Length > size-imageFooterSize-e.Offset {
			return h, nil, cmp.Or(h.known(), errImage)
		}
		free = e.Offset + e.Length
	}
	return h, entries, h.known()
}

// imageAt returns the position up to which an image has the history; good reports whether header, table and
// footer verify. The sections are not read. Errors: ErrUnknownFormat, those of the file system.
func imageAt(in vfs.FS, name string) (at store.Pos, good bool, err error) {
	file, err := in.OpenFile(name, os.O_RDONLY, 0)
	if errors.Is(err, vfs.ErrNotRegular) {
		return store.Pos{}, false, nil
	}
	if err != nil {
		return store.Pos{}, false, err
	}
	h, _, err := readFront(file)
	err = errors.Join(err, file.Close())
	if errors.Is(err, store.ErrUnknownFormat) {
		return store.Pos{}, false, err
	}
	return h.At, err == nil, nil
}

// readImage reads and verifies the image of the commit seq, in a file of any name. It returns the
// names of the derived sections that are damaged and were left out. The sections share one
// allocation. They are read and hashed on all processors. Errors: errImage,
// ErrUnknownFormat, those of the file system. O(size), mostly SHA-256.
func readImage(in vfs.FS, name string, seq uint64) (img *store.Image, dropped []string, err error) {
	file, err := in.OpenFile(name, os.O_RDONLY, 0)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	h, entries, err := readFront(file)
	if err != nil {
		return nil, nil, err
	}
	if h.Seq != seq {
		return nil, nil, errImage
	}
	sections, err := readSections(file, entries)
	if err != nil {
		return nil, nil, err
	}
	img = &store.Image{Seq: h.Seq, Commit: h.Commit, At: h.At}
	for i, e := range entries {
		name, data, derived := strings.TrimRight(string(e.Name[:]), "\x00"), sections[i], e.Flags&entryDerived != 0
		switch {
		case data != nil:
			img.Sections = append(img.Sections, store.Section{Name: name, Data: data, Derived: derived})
		case derived:
			dropped = append(dropped, name)
		default:
			return nil, nil, errImage
		}
	}
	return img, dropped, nil
}

// readSections reads the sections of an image, on all processors; one that does
// not verify is nil.
func readSections(file vfs.File, entries []imageEntry) ([][]byte, error) {
	if len(entries) == 0 {
		return nil, nil
	}
	start, last := entries[0].Offset, entries[len(entries)-1]
	body := bound.Slab[byte](int(last.Offset + last.Length - start)) // a section alone is too small for large pages
	sections, errs := make([][]byte, len(entries)), make([]error, len(entries))
	bound.Each(len(entries), func(i int) {
		data := body[entries[i].Offset-start:][:entries[i].Length:entries[i].Length]
		_, errs[i] = file.ReadAt(data, entries[i].Offset)
		if errs[i] == nil && sha256.Sum256(data) == entries[i].Digest {
			sections[i] = data
		}
	})
	return sections, errors.Join(errs...)
}
