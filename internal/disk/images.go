// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"bufio"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/fovea-memory/fovea/internal/record"
	"github.com/fovea-memory/fovea/internal/slab"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/vfs"
)

const (
	imageFolder = "image"
	imageSuffix = ".img"
)

// maxImages is how many images WriteImage leaves.
const maxImages = 2

// imageBuffer is how much of an image is collected for one write.
const imageBuffer = 256 << 10

func imageName(seq uint64) string {
	return path.Join(imageFolder, fmt.Sprintf("%012d%s", seq, imageSuffix))
}

// listImages returns the numbers of the images there are, newest first.
func listImages(in vfs.FS) ([]uint64, error) {
	seqs, err := record.ListNumbered(in, imageFolder, imageSuffix, imageName)
	slices.Reverse(seqs)
	return seqs, err
}

// newestImageAt returns the position that the newest image with a good header
// goes up to, zero if there is none. The sections are not read.
func newestImageAt(in vfs.FS) (store.Pos, error) {
	seqs, err := listImages(in)
	if err != nil {
		return store.Pos{}, err
	}
	for _, seq := range seqs {
		if at, good, err := imageAt(in, seq); err != nil || good {
			return at, err
		}
	}
	return store.Pos{}, nil
}

// imageAt returns the position that an image goes up to; good says that header,
// table and footer verify.
func imageAt(in vfs.FS, seq uint64) (at store.Pos, good bool, err error) {
	file, err := in.OpenFile(imageName(seq), os.O_RDONLY, 0)
	if errors.Is(err, vfs.ErrNotRegular) {
		return store.Pos{}, false, nil
	}
	if err != nil {
		return store.Pos{}, false, err
	}
	img, _, err := readImageFront(file)
	err = errors.Join(err, file.Close())
	switch {
	case err == nil:
		return img.At, true, nil
	case errors.Is(err, store.ErrUnknownFormat):
		return store.Pos{}, false, err
	}
	return store.Pos{}, false, nil
}

// WriteImage implements store.Store. It removes all but the two newest images; those that
// LoadImage found damaged do not count and go to quarantine. O(size).
func (s *Store) WriteImage(img store.Image) error {
	if err := s.Sync(); err != nil { // a relaxed store may lose what the image has
		return fmt.Errorf("write image %d: %w", img.Seq, err)
	}
	s.images.Lock()
	defer s.images.Unlock()
	s.mu.Lock()
	err := s.writable()
	damaged := slices.Clone(s.recovery.DamagedImages)
	s.mu.Unlock()
	if err == nil {
		err = img.Check()
	}
	if err == nil {
		s.placed.drop(imageName(img.Seq))
		err = vfs.WriteAtomicFunc(s.in, imageName(img.Seq), filePerm, func(w io.Writer) error {
			buffered := bufio.NewWriterSize(w, imageBuffer)
			if err := encodeImage(buffered, &img); err != nil {
				return err
			}
			return buffered.Flush()
		})
	}
	if err == nil {
		err = s.placed.keep(imageName(img.Seq))
	}
	if err == nil {
		err = s.tidyImages(img.Seq, damaged)
	}
	if err != nil {
		return fmt.Errorf("write image %d: %w", img.Seq, err)
	}
	return nil
}

// tidyImages removes what the image just written makes superfluous.
func (s *Store) tidyImages(written uint64, damaged []string) error {
	seqs, err := listImages(s.in)
	if err != nil {
		return err
	}
	kept := 0
	for _, seq := range seqs {
		name := imageName(seq)
		switch {
		case seq != written && slices.Contains(damaged, name):
			s.placed.drop(name)
			err = s.in.Rename(name, path.Join(quarantineFolder, path.Base(name)))
		case kept < maxImages || seq == written:
			kept++
		default:
			s.placed.drop(name)
			err = s.in.Remove(name)
		}
		if err != nil {
			return err
		}
	}
	if len(damaged) == 0 {
		return nil
	}
	s.mu.Lock()
	s.recovery.DamagedImages = nil
	s.mu.Unlock()
	return s.in.SyncDir(quarantineFolder)
}

// LoadImage implements store.Store. Recovery names a derived section that was left out, and
// an image that was passed over for an older one. The sections share one allocation. They
// are read and hashed on all processors: O(size), mostly SHA-256.
func (s *Store) LoadImage() (*store.Image, error) {
	s.images.Lock()
	defer s.images.Unlock()
	s.mu.Lock()
	closed := s.closed
	s.mu.Unlock()
	if closed {
		return nil, fmt.Errorf("load image: %w", store.ErrClosed)
	}
	seqs, err := listImages(s.in)
	if err != nil {
		return nil, fmt.Errorf("load image: %w", err)
	}
	for _, seq := range seqs {
		img, dropped, err := readImage(s.in, seq)
		switch {
		case err == nil:
			s.noteImage(func(r *store.Recovery) { r.DroppedSections = dropped })
			return img, nil
		case errors.Is(err, store.ErrUnknownFormat):
			return nil, fmt.Errorf("load %s: %w", imageName(seq), err)
		}
		s.noteImage(func(r *store.Recovery) {
			if !slices.Contains(r.DamagedImages, imageName(seq)) {
				r.DamagedImages = append(r.DamagedImages, imageName(seq))
			}
		})
	}
	return nil, fmt.Errorf("load image: %w", store.ErrNoImage)
}

func (s *Store) noteImage(note func(*store.Recovery)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	note(&s.recovery)
}

// readImage reads and verifies an image; a damaged one is errBadImage.
func readImage(in vfs.FS, seq uint64) (img *store.Image, dropped []string, err error) {
	return readImageFile(in, imageName(seq), seq)
}

// readImageFile is readImage for a file of any name.
func readImageFile(in vfs.FS, name string, seq uint64) (img *store.Image, dropped []string, err error) {
	file, err := in.OpenFile(name, os.O_RDONLY, 0)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	img, entries, err := readImageFront(file)
	if err != nil {
		return nil, nil, err
	}
	if img.Seq != seq {
		return nil, nil, errBadImage
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
			return nil, nil, errBadImage
		}
	}
	return img, dropped, nil
}

// readSections reads the sections of an image, on all processors; one that does
// not verify stays nil.
func readSections(file vfs.File, entries []imageEntry, sections [][]byte) error {
	if len(entries) == 0 {
		return nil
	}
	start, last := entries[0].offset, entries[len(entries)-1]
	body := slab.Of[byte](int(last.offset + last.length - start)) // a section alone is too small for large pages
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
