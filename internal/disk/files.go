// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"sort"
	"sync"

	"github.com/fovea-memory/fovea/internal/record"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// files says which file each segment is in, itself or a pack, and keeps open those that are
// read. A file that was replaced stays open for those that read it. It is safe for
// concurrent use.
type files struct {
	in   vfs.FS
	cond *condition

	mu       sync.Mutex
	segments map[uint64]*segment // open for reading
	packs    *packSet
	closed   bool
}

// shared is a file that readers use while it may be replaced: the last one
// closes it. files.mu guards it.
type shared struct {
	file    io.Closer
	users   int
	retired bool // no new reader may use it
}

// retire closes a file as soon as it has no users.
func (f *shared) retire() error {
	if f.retired = true; f.users > 0 {
		return nil
	}
	return f.file.Close()
}

// segment is a segment that is open for reading.
type segment struct {
	*record.Segment
	shared shared
}

// pack is a pack that is current.
type pack struct {
	*record.Pack
	shared shared
}

// openPack opens the pack that a row of the manifest names.
func openPack(in vfs.FS, info record.Info) (*pack, error) {
	p, err := record.OpenPack(in, info.Name())
	if err != nil {
		return nil, err
	}
	return &pack{p.Expect(info), shared{file: p}}, nil
}

// packSet is the packs that are current. It does not change; another one takes
// its place.
type packSet struct {
	record.Manifest
	packs []*pack
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

// release ends a use of a file.
func (f *files) release(used *shared) {
	f.mu.Lock()
	used.users--
	last := used.retired && used.users == 0
	f.mu.Unlock()
	if last {
		_ = used.file.Close() // it was only read
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
		p.shared.users++
	}
	return set, func() {
		for _, p := range set.packs {
			f.release(&p.shared)
		}
	}, nil
}

// packOf returns the pack that has a commit, which is in one. The caller releases it.
func (f *files) packOf(seq uint64) (*pack, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return nil, store.ErrClosed
	}
	packs := f.packs.Packs
	p := f.packs.packs[sort.Search(len(packs), func(i int) bool { return packs[i].Before+packs[i].Commits >= seq })]
	p.shared.users++
	return p, nil
}

// place returns the file that the records of a segment are in: a pack, or the
// segment itself. The caller releases it.
func (f *files) place(number uint64) (*pack, *segment, error) {
	for {
		f.mu.Lock()
		if p := f.packs.of(number); p != nil && !f.closed {
			p.shared.users++
			f.mu.Unlock()
			return p, nil, nil
		}
		f.mu.Unlock()
		seg, err := f.segment(number)
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
func (f *files) segment(number uint64) (*segment, error) {
	if seg, err := f.use(number, nil); seg != nil || err != nil {
		return seg, err
	}
	file, err := record.OpenSegment(f.in, number)
	switch {
	case err == nil:
	case number <= f.current().Last():
		return nil, errPacked
	case errors.Is(err, store.ErrCorrupt):
		return nil, f.cond.report(err)
	case errors.Is(err, fs.ErrNotExist):
		return nil, f.cond.corrupt(record.SegmentDamage(number, 0, "the segment is missing"))
	default:
		return nil, fmt.Errorf("open %s: %w", record.SegmentName(number), err)
	}
	seg, err := f.use(number, file)
	if err != nil || seg.Segment != file {
		_ = file.Close() // it was only read
	}
	return seg, err
}

// use returns a segment that is open already, else one with the file that was opened just
// now, nil for neither.
func (f *files) use(number uint64, opened *record.Segment) (*segment, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	seg := f.segments[number]
	switch {
	case f.closed:
		return nil, store.ErrClosed
	case number <= f.packs.Last():
		return nil, errPacked
	case seg == nil && opened == nil:
		return nil, nil
	case seg == nil:
		seg = &segment{opened, shared{file: opened}}
		f.segments[number] = seg
	}
	seg.shared.users++
	return seg, nil
}

// change makes other packs current. Files that readers still use stay open for them.
func (f *files) change(set *packSet) {
	f.mu.Lock()
	defer f.mu.Unlock()
	kept := map[*pack]bool{}
	for _, p := range set.packs {
		kept[p] = true
	}
	for _, p := range f.packs.packs {
		if !kept[p] {
			_ = p.shared.retire()
		}
	}
	maps.DeleteFunc(f.segments, func(number uint64, seg *segment) bool {
		packed := number <= set.Last()
		if packed {
			_ = seg.shared.retire()
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
		err = errors.Join(err, seg.shared.retire())
	}
	for _, p := range f.packs.packs {
		err = errors.Join(err, p.shared.retire())
	}
	clear(f.segments)
	return err
}
