// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/fovea-memory/fovea/internal/record"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// shared is a file that readers use while it may be replaced: the last one
// closes it. Store.mu guards users and retired.
type shared struct {
	file    io.Closer
	users   int
	retired bool // nobody will begin to use it
}

// release ends a use of a file.
func (s *Store) release(f *shared) {
	s.mu.Lock()
	f.users--
	last := f.retired && f.users == 0
	s.mu.Unlock()
	if last {
		_ = f.file.Close() // it was only read
	}
}

// retire closes a file as soon as nobody uses it. Store.mu is held, if it is the
// store's.
func (f *shared) retire() error {
	if f.retired = true; f.users > 0 {
		return nil
	}
	return f.file.Close()
}

// packSet is the packs that are current. It does not change; another one takes
// its place.
type packSet struct {
	record.Manifest
	packs []*pack
}

// pack is a pack that is current.
type pack struct {
	*record.Pack
	shared
}

// openPack opens the pack that a row of the manifest names.
func openPack(in vfs.FS, info record.Info) (*pack, error) {
	p, err := record.OpenPack(in, info.Name())
	if err != nil {
		return nil, err
	}
	return &pack{p.Expect(info), shared{file: p}}, nil
}

// segment is a segment that is open for reading.
type segment struct {
	*record.Segment
	shared
}

// of returns the pack that has a segment, nil if none does.
func (p *packSet) of(segment uint64) *pack {
	for _, pk := range p.packs {
		if pk.Info.First <= segment && segment <= pk.Info.Last {
			return pk
		}
	}
	return nil
}

// usePacks returns the current packs, whose files stay open until done is called.
func (s *Store) usePacks() (set *packSet, done func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, nil, store.ErrClosed
	}
	set = s.packs
	for _, p := range set.packs {
		p.users++
	}
	return set, func() {
		for _, p := range set.packs {
			s.release(&p.shared)
		}
	}, nil
}

// place returns the file that the records of a segment are in: a pack, or the
// segment itself. The caller releases it.
func (s *Store) place(number uint64) (*pack, *segment, error) {
	for {
		s.mu.Lock()
		if p := s.packs.of(number); p != nil && !s.closed {
			p.users++
			s.mu.Unlock()
			return p, nil, nil
		}
		s.mu.Unlock()
		seg, err := s.segment(number)
		if errors.Is(err, errPacked) {
			continue
		}
		return nil, seg, err
	}
}

// errPacked means that a segment was moved into a pack just now.
var errPacked = errors.New("the segment is in a pack")

// segment returns a segment open for reading, or errPacked. The caller releases
// it.
func (s *Store) segment(number uint64) (*segment, error) {
	if seg, err := s.openedSegment(number); seg != nil || err != nil {
		return seg, err
	}
	file, err := record.OpenSegment(s.in, number)
	s.mu.Lock()
	packed := number <= s.packs.Last()
	s.mu.Unlock()
	switch {
	case packed && err == nil:
		return nil, errors.Join(errPacked, file.Close())
	case packed:
		return nil, errPacked
	case errors.Is(err, store.ErrCorrupt):
		return nil, s.report(err)
	case errors.Is(err, fs.ErrNotExist):
		return nil, s.damaged(number, 0, "the segment is missing")
	case err != nil:
		return nil, fmt.Errorf("open %s: %w", record.SegmentName(number), err)
	}
	s.mu.Lock()
	if s.segments[number] == nil && !s.closed && number > s.packs.Last() {
		seg := &segment{file, shared{file: file, users: 1}}
		s.segments[number] = seg
		s.mu.Unlock()
		return seg, nil
	}
	s.mu.Unlock()
	if err := file.Close(); err != nil {
		return nil, err
	}
	return s.segment(number)
}

// openedSegment returns a segment that is open already, nil if it is not.
func (s *Store) openedSegment(number uint64) (*segment, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch seg := s.segments[number]; {
	case s.closed:
		return nil, store.ErrClosed
	case number <= s.packs.Last():
		return nil, errPacked
	case seg != nil:
		seg.users++
		return seg, nil
	}
	return nil, nil
}
