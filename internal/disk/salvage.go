// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"

	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/merkle"
)

// Salvage implements store.Salvage over a state folder. The caller holds the lock.
type Salvage struct {
	in      vfs.FS
	open    *Store // in use, and still usable if only images are damaged; nil for none
	files   []fileInfo
	bad     []store.Corruption
	damaged []string // files that fail verification, for quarantine
	gone    map[merkle.Digest]uint64
	at      map[merkle.Digest]salvaged
	segment uint64 // the largest number of a segment
	batch   uint64 // the largest number of a batch
	made    uint64 // the newest generation of packs
}

// salvaged is the place of a block.
type salvaged struct {
	file   string
	offset int64
	length int
}

// OpenSalvage is store.Salvager.Salvage for a folder in which no Store is open.
func OpenSalvage(in vfs.FS) (*Salvage, error) {
	s := &Salvage{in: in, gone: map[merkle.Digest]uint64{}, at: map[merkle.Digest]salvaged{}}
	if err := s.find(); err != nil {
		return nil, fmt.Errorf("salvage: %w", err)
	}
	return s, nil
}

func (s *Salvage) find() error {
	_, err := readFormat(s.in)
	if err = s.judge(err); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	head, badHead, err := readHead(s.in)
	if err != nil {
		return err
	}
	if head != nil {
		s.segment = head.End.Segment
	}
	if badHead != nil {
		s.damage(*badHead)
	}
	if err := s.findPacks(); err != nil {
		return err
	}
	numbers, err := listSegments(s.in)
	last := uint64(0)
	for _, f := range s.files {
		last = max(last, f.Last)
	}
	for _, n := range numbers {
		s.segment = max(s.segment, n)
		if n > last { // else it is in a pack
			s.files = append(s.files, fileInfo{First: n, Last: n})
		}
	}
	s.segment = max(s.segment, last)
	return err
}

// findPacks uses the packs of the manifest, or without one those that do not overlap.
func (s *Salvage) findPacks() error {
	m, bad, err := readManifest(s.in)
	if err != nil {
		return err
	}
	s.made = m.Generation
	if bad == nil && len(m.Packs) > 0 {
		s.files = m.Packs
		return nil
	}
	if bad != nil {
		s.damage(*bad)
	}
	packs, err := readPacks(s.in)
	if err != nil {
		return err
	}
	var found []fileInfo
	for _, p := range packs {
		of := p.info
		s.made, of.Last = max(s.made, of.Generation), max(of.Last, of.First)
		if p.readable() && of.name() == p.layout.name {
			found = append(found, of)
		} else {
			s.damage(*p.layout.damage(0, "pack header damaged"))
		}
	}
	slices.SortFunc(found, func(a, b fileInfo) int {
		return cmp.Or(cmp.Compare(a.First, b.First), cmp.Compare(b.Generation, a.Generation))
	})
	last := uint64(0)
	for _, of := range found {
		if of.First > last {
			s.files = append(s.files, of)
			last = of.Last
		}
	}
	return nil
}

// damage records the first damage of a file.
func (s *Salvage) damage(bad store.Corruption) {
	if !slices.Contains(s.damaged, bad.File) {
		s.damaged, s.bad = append(s.damaged, bad.File), append(s.bad, bad)
	}
}

// Damage implements store.Salvage.
func (s *Salvage) Damage() []store.Corruption { return slices.Clone(s.bad) }

// Gone implements store.Salvage.
func (s *Salvage) Gone() map[merkle.Digest]uint64 { return s.gone }

// Read implements store.Salvage.
func (s *Salvage) Read(ctx context.Context, fn func(store.Record) error) error {
	var last store.Record
	for _, f := range s.files {
		err := s.file(f, func(f frame, name string) error {
			if f.Pos.Compare(last.Pos) <= 0 || f.Batch < last.Batch {
				s.damage(store.Corruption{File: name, Offset: f.dataAt, Reason: "a record out of order"})
				return nil
			}
			last = store.Record{Batch: f.Batch, Pos: f.Pos}
			s.batch = max(s.batch, f.Batch)
			if f.Kind.HasDigest() {
				s.at[merkle.Sum(f.Data)] = salvaged{name, f.dataAt, f.length}
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			return fn(f.Record)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// file reads one file. A gap before the last byte written is damage.
func (s *Salvage) file(of fileInfo, fn func(f frame, name string) error) error {
	src, err := openSource(s.in, of)
	if err != nil {
		return s.judge(err)
	}
	defer src.close()
	if src.bad != nil {
		s.damage(*src.bad)
	}
	if !src.readable() {
		return nil
	}
	size, written := src.footer.TablesAt, src.footer.TablesAt
	if !src.packed() {
		if size, err = src.size(); err == nil {
			written, err = lastByte(src.file, headerSize, size)
		}
		if err != nil {
			return err
		}
	}
	next, failed := int64(headerSize), error(nil)
	gap := func(at int64) {
		if at > next {
			s.damage(*src.layout.damage(next, "no record that verifies"))
		}
	}
	err = src.reader(headerSize, size).scan(func(f frame) bool {
		gap(f.at)
		next = f.end
		if f.Kind != store.Pad {
			failed = fn(f, src.layout.name)
		}
		return failed == nil
	})
	if err = cmp.Or(failed, err); err != nil {
		return err
	}
	gap(written)
	if src.bad != nil {
		return nil
	}
	return s.judge(src.eachPurged(func(d merkle.Digest, by uint64) error {
		s.gone[d] = max(s.gone[d], by)
		return nil
	}))
}

// judge records a Corruption as damage; it returns other errors.
func (s *Salvage) judge(err error) error {
	if bad, ok := errors.AsType[*store.Corruption](err); ok {
		s.damage(*bad)
		return nil
	}
	return err
}

// Block implements store.Salvage.
func (s *Salvage) Block(d merkle.Digest) (data []byte, err error) {
	at, ok := s.at[d]
	if !ok {
		return nil, store.ErrNotFound
	}
	file, err := s.in.OpenFile(at.file, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	data = make([]byte, at.length)
	if _, err := file.ReadAt(data, at.offset); err != nil && err != io.EOF {
		return nil, err
	}
	if merkle.Sum(data) != d {
		return nil, store.ErrNotFound
	}
	return data, nil
}

// Final implements store.Salvage.
func (s *Salvage) Final() bool {
	wrong := slices.ContainsFunc(s.files, func(f fileInfo) bool { return slices.Contains(s.damaged, f.name()) })
	return wrong && !s.missing()
}

// missing reports whether a required file is missing.
func (s *Salvage) missing() bool {
	next := uint64(1)
	for _, f := range s.files {
		if stat, err := s.in.Lstat(f.name()); err != nil || !stat.Mode().IsRegular() || f.First != next {
			return true
		}
		next = f.Last + 1
	}
	return next <= s.segment
}

// Has implements store.Salvage.
func (s *Salvage) Has(d merkle.Digest) bool { _, ok := s.at[d]; return ok }

// Images implements store.Salvage.
func (s *Salvage) Images(fn func(name string, img *store.Image)) error {
	for _, folder := range []string{store.ImageFolder, store.Quarantine} {
		seqs, err := listNumbered(s.in, folder, store.ImageSuffix, store.ImageName)
		if err != nil {
			return err
		}
		for _, seq := range slices.Backward(seqs) {
			name := path.Join(folder, path.Base(store.ImageName(seq)))
			img, _, err := readImage(s.in, name, seq)
			wrong := errors.Is(err, vfs.ErrNotRegular) || errors.Is(err, errImage) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
			switch {
			case err == nil:
				fn(name, img)
			case folder == store.Quarantine: // it was put aside as damaged
			case !wrong:
				return err
			default:
				s.damage(store.Corruption{File: name, Reason: "the image does not verify"})
				if s.open != nil {
					s.open.cond.badImage(name)
				}
			}
		}
	}
	return nil
}
