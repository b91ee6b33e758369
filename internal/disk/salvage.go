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

	"github.com/fovea-memory/fovea/internal/image"
	"github.com/fovea-memory/fovea/internal/record"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/merkle"
)

// Salvage is all that verifies of a history, damaged or not: each record by
// itself, also behind damage. It reads the folder as it finds it and changes
// nothing until Rebuild. The caller holds the lock; it is for one goroutine.
type Salvage struct {
	in      vfs.FS
	files   []salvageFile
	bad     []store.Corruption
	damaged []string // files that do not verify, to be put aside
	gone    map[merkle.Digest]uint64
	at      map[merkle.Digest]salvaged
	segment uint64 // the largest number there is
	batch   uint64 // the largest number of a batch
	made    uint64 // the newest generation of packs
}

// salvageFile is a file that history is in.
type salvageFile struct {
	name    string
	segment uint64 // its number, 0 for a pack
	info    record.Info
}

// salvaged says where a block is.
type salvaged struct {
	file   string
	offset int64
	length int
}

// OpenSalvage finds the files of the history. A folder that cannot be read is an
// error: nothing is held to be lost because of it. Errors: ErrUnknownFormat, the
// file system's.
func OpenSalvage(in vfs.FS) (*Salvage, error) {
	s := &Salvage{in: in, gone: map[merkle.Digest]uint64{}, at: map[merkle.Digest]salvaged{}}
	if err := s.find(); err != nil {
		return nil, fmt.Errorf("salvage: %w", err)
	}
	return s, nil
}

func (s *Salvage) find() error {
	if text, err := s.in.ReadFile(FormatFile); err == nil {
		_, err := parseFormat(text)
		if err := s.judge(err); err != nil {
			return err
		}
	} else if bad := record.NotRegular(err, FormatFile); bad != nil {
		s.damage(*bad)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	head, badHead, err := readHead(s.in)
	if err != nil {
		return err
	}
	if head != nil {
		s.segment = head.end.Segment
	}
	if badHead != nil {
		s.damage(*badHead)
	}
	if err := s.findPacks(); err != nil {
		return err
	}
	numbers, err := record.ListSegments(s.in)
	last := uint64(0)
	for _, f := range s.files {
		last = max(last, f.info.Last)
	}
	for _, n := range numbers {
		s.segment = max(s.segment, n)
		if n > last { // else it is in a pack
			s.files = append(s.files, salvageFile{name: record.SegmentName(n), segment: n})
		}
	}
	s.segment = max(s.segment, last)
	return err
}

// findPacks takes the packs that the manifest names, or without one those that
// do not stand for the same segments.
func (s *Salvage) findPacks() error {
	m, bad, err := record.ReadManifest(s.in)
	if err != nil {
		return err
	}
	s.made = m.Generation
	if bad == nil && len(m.Packs) > 0 {
		for _, info := range m.Packs {
			s.files = append(s.files, salvageFile{name: info.Name(), info: info})
		}
		return nil
	}
	if bad != nil {
		s.damage(*bad)
	}
	packs, err := record.ReadPacks(s.in)
	if err != nil {
		return err
	}
	var found []record.Info
	for _, p := range packs {
		info := p.Info
		s.made, info.Last = max(s.made, info.Generation), max(info.Last, info.First)
		if p.Readable() && info.Name() == p.Name() {
			found = append(found, info)
		} else {
			s.damage(*p.Damage(0, "pack header damaged"))
		}
	}
	slices.SortFunc(found, func(a, b record.Info) int {
		return cmp.Or(cmp.Compare(a.First, b.First), cmp.Compare(b.Generation, a.Generation))
	})
	last := uint64(0)
	for _, info := range found {
		if info.First > last {
			s.files = append(s.files, salvageFile{name: info.Name(), info: info})
			last = info.Last
		}
	}
	return nil
}

// damage notes the first damage of a file.
func (s *Salvage) damage(bad store.Corruption) {
	if !slices.Contains(s.damaged, bad.File) {
		s.damaged, s.bad = append(s.damaged, bad.File), append(s.bad, bad)
	}
}

// Damage returns what Read has found damaged, at most once for each file.
func (s *Salvage) Damage() []store.Corruption { return slices.Clone(s.bad) }

// Gone returns the blocks that history had left out on purpose, and the numbers
// of the commits that say why. The map is the Salvage's.
func (s *Salvage) Gone() map[merkle.Digest]uint64 { return s.gone }

// Read calls fn with each record that verifies, in order. The data is valid
// until fn returns; an error of fn ends it and is returned as it is. Other
// errors are of the file system or the context: then nothing can be said.
// O(history), and more where much is damaged.
func (s *Salvage) Read(ctx context.Context, fn func(store.Record) error) error {
	var last store.Record
	for _, f := range s.files {
		err := s.file(f, func(r store.Record, at int64) error {
			if r.Pos.Compare(last.Pos) <= 0 || r.Batch < last.Batch {
				s.damage(store.Corruption{File: f.name, Offset: at, Reason: "a record out of order"})
				return nil
			}
			last = store.Record{Batch: r.Batch, Pos: r.Pos}
			s.batch = max(s.batch, r.Batch)
			if r.Kind.HasDigest() {
				s.at[merkle.Sum(r.Data)] = salvaged{f.name, at, len(r.Data)}
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			return fn(r)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// file reads one file; at is the offset of the data.
func (s *Salvage) file(f salvageFile, fn func(r store.Record, at int64) error) error {
	if f.segment != 0 {
		seg, err := record.OpenSegment(s.in, f.segment)
		if err != nil {
			return s.judge(err)
		}
		defer seg.Close()
		size, end, err := seg.Written(record.HeaderSize)
		if err != nil {
			return err
		}
		return s.scan(seg.Reader(record.HeaderSize, size), end, fn)
	}
	p, err := record.OpenPack(s.in, f.name)
	if err != nil {
		return err
	}
	defer p.Close()
	if p.Expect(f.info); p.Bad != nil {
		s.damage(*p.Bad)
	}
	if !p.Readable() {
		return nil
	}
	if err := s.scan(p.Reader(), p.TablesAt(), fn); err != nil || p.Bad != nil {
		return err
	}
	return s.judge(p.EachPurged(func(d merkle.Digest, by uint64) error {
		s.gone[d] = max(s.gone[d], by)
		return nil
	}))
}

// judge notes a Corruption as damage; it returns other errors.
func (s *Salvage) judge(err error) error {
	if bad, ok := errors.AsType[*store.Corruption](err); ok {
		s.damage(*bad)
		return nil
	}
	return err
}

// scan calls fn for the records of a file. What is no record before end is damage.
func (s *Salvage) scan(r *record.Reader, end int64, fn func(r store.Record, at int64) error) error {
	next, failed := int64(record.HeaderSize), error(nil)
	gap := func(at int64) {
		if at > next {
			s.damage(*r.Damage(next, "no record that verifies"))
		}
	}
	err := r.Scan(func(f record.Frame, data []byte) bool {
		gap(f.At)
		next = f.End
		if f.Kind != store.Pad {
			failed = fn(f.Record(data), f.DataAt)
		}
		return failed == nil
	})
	if err = cmp.Or(failed, err); err == nil {
		gap(end)
	}
	return err
}

// Block returns a block or commit that Read has met, or ErrNotFound.
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

// Holds reports whether a file is one that history is in.
func (s *Salvage) Holds(name string) bool {
	return slices.ContainsFunc(s.files, func(f salvageFile) bool { return f.name == name })
}

// Missing reports whether a file that must be there is not: it may come back.
func (s *Salvage) Missing() bool {
	next := uint64(1)
	for _, f := range s.files {
		first, last := f.info.First, f.info.Last
		if f.segment != 0 {
			first, last = f.segment, f.segment
		}
		if info, err := s.in.Lstat(f.name); err != nil || !info.Mode().IsRegular() || first != next {
			return true
		}
		next = last + 1
	}
	return next <= s.segment
}

// Has reports whether Read has met a block or commit.
func (s *Salvage) Has(d merkle.Digest) bool { _, ok := s.at[d]; return ok }

// Images calls fn with every image that verifies, the newest first, those in
// quarantine too, and says where it lies. Damaged ones count as damage.
func (s *Salvage) Images(fn func(name string, img *store.Image)) error {
	for _, folder := range []string{imageFolder, quarantineFolder} {
		seqs, err := record.ListNumbered(s.in, folder, imageSuffix, ImageName)
		if err != nil {
			return err
		}
		for _, seq := range slices.Backward(seqs) {
			name := path.Join(folder, path.Base(ImageName(seq)))
			img, _, err := image.Read(s.in, name, seq)
			wrong := errors.Is(err, vfs.ErrNotRegular) || errors.Is(err, image.ErrDamaged) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
			switch {
			case err == nil:
				fn(name, img)
			case folder == quarantineFolder: // it was put aside as damaged
			case !wrong:
				return err
			default:
				s.damage(store.Corruption{File: name, Reason: "the image does not verify"})
			}
		}
	}
	return nil
}
