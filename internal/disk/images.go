// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// maxImages is the number of images that WriteImage keeps.
const maxImages = 2

// imageBuffer is the number of bytes of an image that are written at once.
const imageBuffer = 256 << 10

// imageEnds returns the end positions of the newest images with valid headers, newest first, limit at most. The
// sections are not read.
func imageEnds(in vfs.FS, limit int) (ends []store.Pos, err error) {
	seqs, err := listImages(in)
	for _, seq := range seqs {
		if len(ends) == limit {
			break
		}
		at, good, err := imageAt(in, store.ImageName(seq))
		if err != nil {
			return nil, err
		}
		if good {
			ends = append(ends, at)
		}
	}
	return ends, err
}

// images is the folder of images. It is safe for concurrent use.
type images struct {
	in     vfs.FS
	cond   *condition
	placed *placement
	mu     sync.Mutex // held while images are written, loaded or removed
}

// write is Store.WriteImage.
func (f *images) write(img *store.Image) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	err := f.cond.writable()
	if err == nil {
		err = img.Check()
	}
	if err != nil {
		return err
	}
	aside := f.clear()
	name := store.ImageName(img.Seq)
	f.placed.drop(name)
	err = vfs.WriteAtomicFunc(f.in, name, filePerm, func(w io.Writer) error {
		buffered := bufio.NewWriterSize(w, imageBuffer)
		if err := writeImage(buffered, img); err != nil {
			return err
		}
		return buffered.Flush()
	})
	if err == nil {
		err = f.placed.keep(name)
	}
	if err == nil {
		f.cond.note(func(r *store.Recovery) {
			r.DamagedImages = slices.DeleteFunc(r.DamagedImages, func(bad string) bool { return bad == name })
		})
		err = aside
	}
	if err == nil {
		err = f.tidy(img.Seq)
	}
	return err
}

// clear moves the images that were found damaged to quarantine.
func (f *images) clear() error {
	damaged := f.cond.found().DamagedImages
	if len(damaged) == 0 {
		return nil
	}
	if err := f.in.MkdirAll(store.Quarantine, folderPerm); err != nil {
		return err
	}
	for _, name := range damaged {
		f.placed.drop(name)
		if err := moveAside(f.in, name); err != nil {
			return err
		}
	}
	f.cond.note(func(r *store.Recovery) { r.DamagedImages = nil })
	return nil
}

// tidy removes what the image just written makes superfluous.
func (f *images) tidy(written uint64) error {
	seqs, err := listImages(f.in)
	kept := 0
	for _, seq := range seqs {
		if kept < maxImages || seq == written {
			kept++
		} else if err == nil {
			f.placed.drop(store.ImageName(seq))
			err = f.in.Remove(store.ImageName(seq))
		}
	}
	return err
}

// load is Store.LoadImage.
func (f *images) load() (*store.Image, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.cond.readable(); err != nil {
		return nil, err
	}
	seqs, err := listImages(f.in)
	if err != nil {
		return nil, err
	}
	for _, seq := range seqs {
		name := store.ImageName(seq)
		img, dropped, err := readImage(f.in, name, seq)
		switch {
		case err == nil:
			f.cond.note(func(r *store.Recovery) { r.DroppedSections = dropped })
			return img, nil
		case errors.Is(err, store.ErrUnknownFormat):
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		f.cond.badImage(name)
	}
	return nil, store.ErrNoImage
}

// remove is Store.RemoveImages.
func (f *images) remove(before uint64) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.cond.writable(); err != nil {
		return err
	}
	seqs, err := listImages(f.in)
	for _, seq := range seqs {
		if seq < before && err == nil {
			f.placed.drop(store.ImageName(seq))
			err = f.in.Remove(store.ImageName(seq))
		}
	}
	return errors.Join(err, f.in.SyncDir(store.ImageFolder))
}

// olderAt returns the end position of the older of the two newest images, zero without images.
func (f *images) olderAt() (store.Pos, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	ends, err := imageEnds(f.in, maxImages)
	if err != nil || len(ends) == 0 {
		return store.Pos{}, err
	}
	return slices.MinFunc(ends, store.Pos.Compare), nil
}
