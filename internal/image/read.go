// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package image

import (
	"crypto/sha256"
	"errors"
	"os"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/fovea-memory/fovea/internal/bound"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// At returns the position that an image goes up to; good says that header, table and footer
// verify. The sections are not read. Errors: ErrUnknownFormat, those of the file system.
func At(in vfs.FS, name string) (at store.Pos, good bool, err error) {
	file, err := in.OpenFile(name, os.O_RDONLY, 0)
	if errors.Is(err, vfs.ErrNotRegular) {
		return store.Pos{}, false, nil
	}
	if err != nil {
		return store.Pos{}, false, err
	}
	img, _, err := readFront(file)
	err = errors.Join(err, file.Close())
	switch {
	case err == nil:
		return img.At, true, nil
	case errors.Is(err, store.ErrUnknownFormat):
		return store.Pos{}, false, err
	}
	return store.Pos{}, false, nil
}

// Read reads and verifies the image of the commit seq, in a file of any name. It returns the
// names of the derived sections that are damaged and were left out. The sections share one
// allocation. They are read and hashed on all processors. Errors: ErrDamaged,
// ErrUnknownFormat, those of the file system. O(size), mostly SHA-256.
func Read(in vfs.FS, name string, seq uint64) (img *store.Image, dropped []string, err error) {
	file, err := in.OpenFile(name, os.O_RDONLY, 0)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	img, entries, err := readFront(file)
	if err != nil {
		return nil, nil, err
	}
	if img.Seq != seq {
		return nil, nil, ErrDamaged
	}
	sections := make([][]byte, len(entries))
	if err := readSections(file, entries, sections); err != nil {
		return nil, nil, err
	}
	for i, e := range entries {
		data := sections[i]
		switch {
		case data != nil:
			img.Sections = append(img.Sections, store.Section{Name: e.name, Data: data, Derived: e.derived})
		case e.derived:
			dropped = append(dropped, e.name)
		default:
			return nil, nil, ErrDamaged
		}
	}
	return img, dropped, nil
}

// readSections reads the sections of an image, on all processors; one that does
// not verify stays nil.
func readSections(file vfs.File, entries []entry, sections [][]byte) error {
	if len(entries) == 0 {
		return nil
	}
	start, last := entries[0].offset, entries[len(entries)-1]
	body := bound.Slab[byte](int(last.offset + last.length - start)) // a section alone is too small for large pages
	errs := make([]error, len(entries))
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(len(entries), runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(entries); i = int(next.Add(1)) - 1 {
				data := body[entries[i].offset-start:][:entries[i].length:entries[i].length]
				_, errs[i] = file.ReadAt(data, entries[i].offset)
				if errs[i] == nil && sha256.Sum256(data) == entries[i].digest {
					sections[i] = data
				}
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}
