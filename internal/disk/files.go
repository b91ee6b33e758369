// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"sort"
	"sync"

	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// files finds the file that has a segment, its own or a pack, and keeps each file open while it is read, also
// after it was replaced. It is safe for concurrent use.
type files struct {
	in   vfs.FS
	cond *condition

	mu       sync.Mutex
	segments map[uint64]*source // open for reading
	packs    *packSet
	closed   bool
}

// retire closes a file as soon as it has no users. files.mu is held.
func (s *source) retire() error {
	if s.retired = true; s.users > 0 {
		return nil
	}
	return s.close()
}

// packSet is the set of current packs. It is immutable; a change replaces it.
type packSet struct {
	manifest
	packs []*source
}

// of returns the pack that has a segment, nil if none does.
func (p *packSet) of(segment uint64) *source {
	for _, pack := range p.packs {
		if pack.info.First <= segment && segment <= pack.info.Last {
			return pack
		}
	}
	return nil
}

// release ends a use of a file.
func (f *files) release(used *source) {
	f.mu.Lock()
	used.users--
	last := used.retired && used.users == 0
	f.mu.Unlock()
	if last {
		_ = used.close() // it was only read
	}
}

// current returns the current packs, whose files may be closed at any time.
func (f *files) current() *packSet {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.packs
}

// usePacks returns the current packs, whose files stay open until done is called.
func (f *files) usePacks() (set *packSet, done func(), err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return nil, nil, store.ErrClosed
	}
	set = f.packs
	for _, p := range set.packs {
		p.users++
	}
	return set, func() {
		for _, p := range set.packs {
			f.release(p)
		}
	}, nil
}

// packOf returns the pack of a commit that is known to be in one. The caller releases it.
func (f *files) packOf(seq uint64) (*source, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return nil, store.ErrClosed
	}
	packs := f.packs.Packs
	p := f.packs.packs[sort.Search(len(packs), func(i int) bool { return packs[i].Before+packs[i].Commits >= seq })]
	p.users++
	return p, nil
}

// place returns the file with the records of a segment: a pack, or the segment itself. The caller releases it.
func (f *files) place(number uint64) (*source, error) {
	for {
		f.mu.Lock()
		if p := f.packs.of(number); p != nil && !f.closed {
			p.users++
			f.mu.Unlock()
			return p, nil
		}
		f.mu.Unlock()
		if seg, err := f.segment(number); !errors.Is(err, errPacked) {
			return seg, err
		}
	}
}

// errPacked means that a segment was moved into a pack just now.
var errPacked = errors.New("the segment is in a pack")

// segment returns a segment open for reading, or errPacked. The caller releases
// it.
func (f *files) segment(number uint64) (*source, error) {
	if seg, err := f.use(number, nil); seg != nil || err != nil {
		return seg, err
	}
	file, err := openSegment(f.in, number)
	switch {
	case err == nil:
	case number <= f.current().last():
		return nil, errPacked
	case errors.Is(err, store.ErrCorrupt):
		return nil, f.cond.report(err)
	case errors.Is(err, fs.ErrNotExist):
		return nil, f.cond.corrupt(segmentDamage(number, 0, "the segment is missing"))
	default:
		return nil, fmt.Errorf("open %s: %w", segmentName(number), err)
	}
	seg, err := f.use(number, file)
	if err != nil || seg != file {
		_ = file.close() // it was only read
	}
	return seg, err
}

// use returns the open segment, else adds the one that was just opened, if any; nil if there is neither.
func (f *files) use(number uint64, opened *source) (*source, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	seg := f.segments[number]
	switch {
	case f.closed:
		return nil, store.ErrClosed
	case number <= f.packs.last():
		return nil, errPacked
	case seg == nil && opened == nil:
		return nil, nil
	case seg == nil:
		seg = opened
		f.segments[number] = seg
	}
	seg.users++
	return seg, nil
}

// change makes other packs current. Files that readers still use stay open for them.
func (f *files) change(set *packSet) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, p := range f.packs.packs {
		if !slices.Contains(set.packs, p) {
			_ = p.retire()
		}
	}
	maps.DeleteFunc(f.segments, func(number uint64, seg *source) bool {
		packed := number <= set.last()
		if packed {
			_ = seg.retire()
		}
		return packed
	})
	f.packs = set
}

// close closes all files without users now, and the others when their last user is done.
func (f *files) close() (err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	for _, seg := range f.segments {
		err = errors.Join(err, seg.retire())
	}
	for _, p := range f.packs.packs {
		err = errors.Join(err, p.retire())
	}
	clear(f.segments)
	return err
}
