// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"sync"

	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/merkle"
)

// source is a file of records that is open for reading: a segment of the journal, or a pack.
// All methods except expect may be called concurrently.
type source struct {
	info   fileInfo
	bad    *store.Corruption // why a pack's header or footer cannot be used, nil if they can
	file   vfs.File          // nil for a pack that is missing
	layout layout
	footer footer // of a pack

	scan  sync.Mutex
	found map[merkle.Digest]int64 // in place of a damaged table of digests

	// A file that readers use may be replaced meanwhile: the last one closes it. files.mu
	// guards both.
	users   int
	retired bool // no new reader may use it
}

// openSource opens the file that has a part of the history, see openSegment and openPack.
func openSource(in vfs.FS, p fileInfo) (*source, error) {
	if p.Generation == 0 {
		return openSegment(in, p.First)
	}
	s, err := openPack(in, p.name())
	if err != nil {
		return nil, err
	}
	return s.expect(p), nil
}

// newSegment returns a segment without a file, and the first bytes of its file. The salt comes from random.
func newSegment(number, batch uint64, random io.Reader) (*source, []byte, error) {
	h, err := newHeader(store.SegmentMagic, number, batch, random)
	return segmentOf(&h, nil), h.encode(), err
}

func segmentOf(h *header, file vfs.File) *source {
	return &source{
		info: fileInfo{First: h.Segment, Last: h.Segment, Batch: h.Number}, file: file,
		layout: layout{name: segmentName(h.Segment), segment: h.Segment, salt: h.Salt},
	}
}

// openSegment opens a segment and reads its header. A file that is too short, damaged or not regular is a
// Corruption. The caller closes it.
func openSegment(in vfs.FS, number uint64) (*source, error) {
	file, err := in.OpenFile(segmentName(number), os.O_RDONLY, 0)
	if bad := notRegular(err, segmentName(number)); bad != nil {
		bad.Segment = number
		return nil, bad
	}
	if err != nil {
		return nil, err
	}
	h, err := readHeader(file, store.SegmentMagic)
	if err == errHeader || err == nil && h.Segment != number {
		err = segmentDamage(number, 0, "segment header damaged")
	}
	if err != nil {
		_ = file.Close() // it was only read
		return nil, err
	}
	return segmentOf(&h, file), nil
}

// openPack opens a pack and verifies header and footer. A file that is missing
// or damaged has bad set; the error is one of the file system, or
// ErrUnknownFormat. The caller closes it.
func openPack(in vfs.FS, name string) (*source, error) {
	p := &source{layout: layout{name: name}}
	file, err := in.OpenFile(name, os.O_RDONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		p.bad = p.layout.damage(0, "the pack is missing")
		return p, nil
	}
	if p.bad = notRegular(err, name); p.bad != nil {
		return p, nil
	}
	if err != nil {
		return nil, err
	}
	p.file = file
	if err := p.readEnds(); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return p, nil
}

// readEnds reads header and footer of a pack. Without a valid footer, the records are assumed to reach to the
// end of the file.
func (s *source) readEnds() error {
	size, err := s.size()
	if err != nil {
		return err
	}
	h, err := readHeader(s.file, store.PackMagic)
	if err == errHeader {
		s.bad = s.layout.damage(0, "pack header damaged")
		return nil
	}
	if err != nil {
		return err
	}
	s.layout.first, s.layout.salt = h.Segment, h.Salt
	end := max(size-packFooterSize, headerSize)
	tail := make([]byte, packFooterSize)
	n, err := s.file.ReadAt(tail, end)
	if err != nil && err != io.EOF {
		return err
	}
	if s.footer, err = decodeFooter(tail[:n], h, size); err != nil {
		s.footer = footer{TablesAt: size, Info: fileInfo{First: h.Segment, Generation: h.Number}}
		s.bad = s.layout.damage(end, err.Error())
	}
	s.info = s.footer.Info
	return nil
}

// expect sets the pack's info to that of the manifest, and marks the pack as bad if they differ.
func (s *source) expect(p fileInfo) *source {
	if s.bad == nil && s.info != p {
		s.bad = s.layout.damage(s.info.Size-packFooterSize, "the pack is not the one that the manifest names")
	}
	s.info, s.footer.Info = p, p
	return s
}

// close closes the file, if there is one.
func (s *source) close() error {
	if s.file == nil {
		return nil
	}
	return s.file.Close()
}

// packed reports whether the file is a pack.
func (s *source) packed() bool { return s.layout.segment == 0 }

// readable reports whether records can be recognized: the salt in the header is known.
func (s *source) readable() bool { return s.layout.segment+s.layout.first != 0 }

// size returns the size of the file now.
func (s *source) size() (int64, error) {
	stat, err := s.file.Stat()
	if err != nil {
		return 0, err
	}
	return stat.Size(), nil
}

// end returns the offset at which reading up to a position of the history ends: in a pack where its tables
// begin, in a segment at the position or at the end of the file, whichever comes first.
func (s *source) end(upTo store.Pos) (int64, error) {
	if s.packed() {
		return s.footer.TablesAt, nil
	}
	size, err := s.size()
	if s.info.Last == upTo.Segment {
		size = min(size, upTo.Offset)
	}
	return size, err
}

// follows returns a Corruption unless the segment begins with the batch next; 0 means any.
func (s *source) follows(next uint64) *store.Corruption {
	if next == 0 || next == s.info.Batch {
		return nil
	}
	return s.layout.damage(headerNumberAt, "the segment does not follow the one before")
}

// reader returns a reader from an offset, and no further than end.
func (s *source) reader(from, end int64) *reader {
	return &reader{s.layout, window{file: s.file, end: end, base: from}}
}

// walk returns a walker that starts at an offset and reads no further than end. next is the
// number of the first batch of a segment, 0 for any. A walk that starts at a batch inside a
// group accepts the rest of that group. A pack is read from its beginning.
func (s *source) walk(from, end int64, next uint64) *walker {
	w := &walker{reader: *s.reader(from, end), at: from, next: next, groupStart: from, groupEnd: from}
	if s.packed() {
		w.info = s.info
	}
	return w
}
