// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/merkle"
)

// Options are the options of Open; nil and the zero Options give the defaults.
type Options struct {
	// Memex is the absolute path of the memex that the store is for. A new
	// folder records it, an existing one must have the same. Empty accepts any.
	Memex string
	// SegmentMin is the size of the journal's first segment in bytes; each one
	// after it may be twice as long. Default 1 MiB.
	SegmentMin int64
	// SegmentMax bounds the size of a segment; one group that is larger gets a
	// segment of its own. Default 64 MiB.
	SegmentMax int64
	// Owned, if not nil, replaces the check of the folder's own lock before a group is written: it returns an
	// error unless this process still has the lock that covers the folder.
	Owned func() error
	// InPlace, if not nil, is called before a write is acknowledged. As with Owned, its error makes the store
	// read-only, and it must be quick: several goroutines call both.
	InPlace func() error
	// ReadOnly, if not nil, is the reason why the folder cannot be written: the store is opened for reading,
	// without its lock, and does not see what a writer appends later.
	ReadOnly error
	// PackMax bounds the size of the packs that Pack and Rewrite make of several
	// files, in bytes. Default 1 GiB.
	PackMax int64
	// Rand is the source of the salts of segments and packs. Default crypto/rand.
	Rand io.Reader
}

func (o *Options) withDefaults() Options {
	var out Options
	if o != nil {
		out = *o
	}
	out.SegmentMin = cmp.Or(max(out.SegmentMin, 0), 1<<20)
	out.SegmentMax = max(cmp.Or(max(out.SegmentMax, 0), 64<<20), out.SegmentMin)
	out.PackMax = cmp.Or(max(out.PackMax, 0), 1<<30)
	out.Rand = cmp.Or(out.Rand, rand.Reader)
	return out
}

// doing adds the failed operation to an error; nil stays nil.
func doing(err error, what string, args ...any) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", fmt.Sprintf(what, args...), err)
}

// Store is an open state folder. All methods are safe for concurrent use.
//
// Lock order: packing, the journal's lead, images, blocks, commits, and then one of files,
// journal, condition, placement and head.
type Store struct {
	in      vfs.FS
	opts    Options
	cond    condition
	placed  placement
	files   files
	log     journal
	blocks  blockIndex
	commits commitIndex
	images  images
	packing packing
	opened  cleanClose // as the last clean close left it

	headMu sync.Mutex
	head   store.Head
}

// Open opens a store in the folder in, and makes a new one if the folder is empty. The caller holds the lock
// (TryLock) and keeps it, and the folder, until after Close. The Recovery is what was found; with
// Recovery.Corrupt set the store is read-only and nothing was changed; if the damage is in a pack, the live
// state is whole. Errors: ErrOtherMemex, ErrUnknownFormat, ErrForeignFolder, and those of the folder; they
// leave it as it is. O(journal from the newest image's segment on); of the packs only the ends are read.
func Open(in vfs.FS, opts *Options) (*Store, store.Recovery, error) {
	s := newStore(in, opts.withDefaults())
	o := &opening{in: in}
	if err := s.open(o); err != nil {
		_ = s.files.close() // they were only read
		return nil, store.Recovery{}, fmt.Errorf("open state folder: %w", err)
	}
	return s, s.Recovery(), nil
}

// newStore makes and connects the parts of a store.
func newStore(in vfs.FS, opts Options) *Store {
	s := &Store{in: in, opts: opts}
	s.placed = placement{in: s.in, opts: &s.opts}
	s.files = files{in: s.in, cond: &s.cond, segments: map[uint64]*source{}, packs: &packSet{}}
	s.log = journal{opts: &s.opts, cond: &s.cond, placed: &s.placed, lead: make(chan struct{}, 1)}
	s.blocks = blockIndex{in: s.in, cond: &s.cond, files: &s.files, log: &s.log, at: map[merkle.Digest]extent{}}
	s.commits = commitIndex{cond: &s.cond, files: &s.files, log: &s.log}
	s.images = images{in: s.in, cond: &s.cond, placed: &s.placed}
	s.packing = packing{
		in: s.in, opts: &s.opts, cond: &s.cond, placed: &s.placed, files: &s.files, log: &s.log, blocks: &s.blocks, index: &s.commits,
		closing: make(chan struct{}),
	}
	return s
}

// Append implements store.Store. Concurrent calls are written as one group, with one sync. It returns before
// the sync if all of them are deferred.
func (s *Store) Append(ctx context.Context, b *store.Batch) (store.Pos, error) {
	return s.log.append(ctx, b)
}

// Sync implements store.Store. Without deferred batches it does nothing.
func (s *Store) Sync() error { return s.log.sync() }

// End implements store.Store.
func (s *Store) End() store.Pos {
	end, _ := s.log.position()
	return end
}

// Block implements store.Store. It also finds blocks after damage. In packs it takes O(packs × log blocks)
// reads; the first call for a block in no pack reads the rest of the journal, later ones what was appended
// since, and then one record.
func (s *Store) Block(d merkle.Digest) ([]byte, error) {
	data, err := s.blocks.block(d)
	return data, doing(err, "read block %v", d)
}

// Commits implements store.Store. O(commits), each with one or two reads; in addition Open or the first call
// reads the unpacked part of the journal once.
func (s *Store) Commits(ctx context.Context, span store.Span, fn func(store.Record) error) error {
	return s.commits.each(ctx, span, fn)
}

// Replay implements store.Store. For a position in a pack it reads the pack from its beginning. O(bytes read);
// memory of the largest batch.
func (s *Store) Replay(from store.Pos, fn func(store.Record) error) error {
	if from.Segment == 0 {
		from = store.Pos{Segment: s.log.first, Offset: headerSize}
	}
	r := reading{files: &s.files, from: from, end: s.End(), fn: fn}
	err := s.cond.readable()
	if err == nil {
		err = r.run()
	}
	if r.failed != nil {
		return r.failed
	}
	return doing(err, "replay journal")
}

// Recovery implements store.Store.
func (s *Store) Recovery() store.Recovery { return s.cond.found() }

// Err implements store.Store.
func (s *Store) Err() error { return s.cond.why() }

// Stop implements store.Store. A Corruption without a file is one of the journal.
func (s *Store) Stop(cause error) { s.cond.stop(cause) }

// Head implements store.Store.
func (s *Store) Head() store.Head {
	s.headMu.Lock()
	defer s.headMu.Unlock()
	return s.head
}

// SetHead implements store.Store.
func (s *Store) SetHead(h store.Head) {
	s.headMu.Lock()
	defer s.headMu.Unlock()
	s.head = h
}

// InPlace implements store.Store. It also asks Options.InPlace. A few system calls.
func (s *Store) InPlace() error {
	if err := s.cond.readable(); err != nil {
		return err
	}
	return s.placed.check(s.End())
}

// Owned implements store.Store. One system call.
func (s *Store) Owned() error { return s.placed.owned() }

// LoadImage implements store.Store. Recovery names a derived section that was left out, and an image that was
// skipped for an older one. The sections share one allocation. They are read and hashed on all processors:
// O(size), mostly SHA-256.
func (s *Store) LoadImage() (*store.Image, error) {
	img, err := s.images.load()
	return img, doing(err, "load image")
}

// WriteImage implements store.Store. It removes all but the two newest images; those that
// LoadImage found damaged do not count and go to quarantine. O(size).
func (s *Store) WriteImage(img store.Image) error {
	err := s.Sync() // the image may have what a deferred batch brought
	if err == nil {
		err = s.images.write(&img)
	}
	return doing(err, "write image %d", img.Seq)
}

// RemoveImages implements store.Store.
func (s *Store) RemoveImages(before uint64) error {
	return doing(s.images.remove(before), "remove images before %d", before)
}

// Pack implements store.Store. It moves the closed segments before the end of the older of the two newest
// images. Without an image, or if no segment is that old, it does nothing. It merges packs so that there are
// few of them. Afterwards Replay omits intents that a later batch settled, and all but the first of equal
// blocks. A crash leaves the segments or the pack. Errors leave the history as it was, unless only the removal
// of replaced files failed; the next Open completes it. O(bytes moved, and the tables of the packs before),
// memory of about 80 bytes for each block in the largest pack and 4 for each in the others.
func (s *Store) Pack(ctx context.Context) error {
	s.packing.mu.Lock()
	defer s.packing.mu.Unlock()
	limit, err := s.images.olderAt()
	if err == nil {
		err = s.packing.pack(ctx, limit.Segment)
	}
	return doing(err, "pack history")
}

// Packed implements store.Store.
func (s *Store) Packed() bool { return len(s.files.current().packs) > 0 }

// Rewrite implements store.Store. It ignores quarantine. The old files are unlinked, not overwritten, and stay
// while a reader uses one, so the bytes may remain on the medium and in its backups.
func (s *Store) Rewrite(ctx context.Context, gone map[merkle.Digest]uint64) error {
	s.packing.mu.Lock()
	defer s.packing.mu.Unlock()
	return doing(s.packing.rewrite(ctx, gone), "rewrite history")
}

// Gone implements store.Store.
func (s *Store) Gone() (map[merkle.Digest]uint64, error) {
	s.packing.mu.Lock() // so that no pack is replaced meanwhile
	defer s.packing.mu.Unlock()
	gone := map[merkle.Digest]uint64{}
	for _, p := range s.files.current().packs {
		if err := p.eachPurged(func(d merkle.Digest, by uint64) error { gone[d] = max(gone[d], by); return nil }); err != nil {
			return nil, doing(s.cond.report(err), "read the purged blocks")
		}
	}
	return gone, nil
}

// Check implements store.Store. It verifies the manifest, every pack and every segment from their bytes alone:
// it recomputes checksums and digests, and rebuilds the tables of the packs from the records to compare them.
// No packs are made meanwhile. O(history); memory of 48 bytes for each block in the largest pack.
func (s *Store) Check(ctx context.Context, fn func(store.Corruption)) (records uint64, err error) {
	s.packing.mu.Lock()
	defer s.packing.mu.Unlock()
	c := &checker{s: s, ctx: ctx, report: fn}
	err = c.run()
	return c.records, doing(err, "check history")
}

// Size implements store.Store: the bytes of journal and packs. It stats each file.
func (s *Store) Size() (size int64, err error) {
	names, err := recordFiles(s.in)
	if err != nil {
		return 0, err
	}
	for _, name := range names {
		info, err := s.in.Stat(name)
		if err != nil {
			return 0, err
		}
		size += info.Size()
	}
	return size, nil
}

// Salvage implements store.Salvager.
func (s *Store) Salvage() (store.Salvage, error) {
	from, err := OpenSalvage(s.in)
	if err != nil {
		return nil, err
	}
	from.open = s
	return from, nil
}

// Close implements store.Store. It ends a Pack or Rewrite, cuts off what was preallocated,
// writes the file head and closes the files. The caller then unlocks.
func (s *Store) Close() error {
	defer s.packing.end()()
	s.log.lead <- struct{}{}
	defer func() { <-s.log.lead }() // those that wait for it get ErrClosed
	s.images.mu.Lock()
	defer s.images.mu.Unlock()
	if s.cond.close() {
		return nil
	}
	writes := s.cond.why() == nil
	head := s.opened
	head.First, head.Head = s.log.first, s.Head()
	head.End, head.Next = s.log.position()
	changed := head != s.opened
	var lost error
	if writes && (changed || s.log.writer.file != nil) {
		lost = s.Owned()
		writes = lost == nil // another process may own the files now
	}
	err := errors.Join(lost, s.log.writer.close(writes))
	if err == nil && writes && changed {
		err = vfs.WriteAtomic(s.in, store.HeadFile, head.encode(), filePerm)
	}
	return doing(errors.Join(err, s.files.close()), "close store")
}
