// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/fovea-memory/fovea/internal/record"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// Options says how a store is opened; nil and the zero Options give the
// defaults.
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
	// Relaxed, if not 0, lets Append return before the sync, which follows within
	// that time. A crash of the machine then loses what was acknowledged since
	// the last sync, and nothing before it; a crash of the process loses nothing.
	// A batch with an Intent, and what came before it, is synced at once. Never
	// a default: whoever sets it says so to the user.
	Relaxed time.Duration
	// Owned, if not nil, is asked before a group is written, in place of looking at the
	// folder's own lock: whether the lock that covers the folder is still ours.
	Owned func() error
	// InPlace, if not nil, is asked before a write is acknowledged. As Owned, its error
	// makes the store read-only, and it must be quick: several goroutines call both.
	InPlace func() error
	// ReadOnly, if not nil, is why the folder cannot be written: the store is opened for
	// reading, without its lock, and what a writer appends later is not seen.
	ReadOnly error
	// PackMax bounds the size of the packs that Pack and Rewrite make of several
	// files, in bytes. Default 1 GiB.
	PackMax int64
	// Rand gives the salts of segments and packs. Default crypto/rand.
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

// Store is an open state folder. All methods are safe for concurrent use.
type Store struct {
	in   vfs.FS
	opts Options

	// lead is held, by sending, by the goroutine that writes the journal or
	// closes the store; writer and timed belong to it. Lock order: packing, lead, images,
	// blocks, commits, mu.
	lead   chan struct{}
	writer writer
	timed  bool // a sync of a relaxed store will come

	packing sync.Mutex    // held while packs are made or checked
	closing chan struct{} // closed when Close begins, so that packing ends
	ending  sync.Once     // closes it
	images  sync.Mutex    // held while images are written or loaded
	blocks  blockIndex
	commits commitIndex

	mu       sync.Mutex
	queue    []*group // groups that wait, the oldest first
	writers  int      // how many wrote at the same time, when the last group was synced
	end      store.Pos
	next     uint64     // number of the next batch
	first    uint64     // number of the first segment there is or will be
	opened   cleanClose // head as the last clean close left it
	head     cleanClose // head for the next clean close
	recovery store.Recovery
	err      error // why the store is read-only
	closed   bool
	segments map[uint64]*segment // open for reading

	placed     *placement // nil for a store that was read-only from the beginning
	packs      *packSet
	generation uint64 // of the newest manifest that was begun
}

// Open opens a store in the folder in, and makes a new one where the folder is
// empty. The caller holds the lock (TryLock) and keeps it, and the folder, until
// after Close. Recovery says what was found; with Recovery.Corrupt set the store
// is read-only and nothing was changed; if the damage is in a pack, the live
// state is whole. Errors: ErrOtherMemex, ErrUnknownFormat, ErrForeignFolder, and
// those of the folder; they leave it as it is. O(journal from the newest image's
// segment on); of the packs only the ends are read.
func Open(in vfs.FS, opts *Options) (*Store, store.Recovery, error) {
	s := &Store{
		in: in, opts: opts.withDefaults(), lead: make(chan struct{}, 1), closing: make(chan struct{}),
		segments: map[uint64]*segment{}, packs: &packSet{},
	}
	if err := s.open(); err != nil {
		for _, p := range s.packs.packs {
			_ = p.retire() // it was only read
		}
		return nil, store.Recovery{}, fmt.Errorf("open state folder: %w", err)
	}
	return s, s.Recovery(), nil
}

func (s *Store) open() error {
	format, bad, err := checkFormat(s.in, s.opts.Memex)
	if err != nil {
		return err
	}
	if bad == nil {
		if bad, err = lostJournal(s.in); err != nil {
			return err
		}
	}
	o := &opening{in: s.in, found: store.Recovery{Corrupt: bad}}
	var badHead *store.Corruption
	if o.head, badHead, err = readHead(s.in); err != nil {
		return err
	}
	o.found.HeadDamaged = badHead != nil
	if o.segments, err = record.ListSegments(s.in); err != nil {
		return err
	}
	if err := o.readPacks(&s.packs); err != nil {
		return err
	}
	if o.image, err = newestImageAt(s.in); err != nil {
		return err
	}
	if err := o.readJournal(); err != nil {
		return err
	}
	switch {
	case o.found.Corrupt != nil:
		s.err = fmt.Errorf("%w: %w", store.ErrReadOnly, o.found.Corrupt)
		o.found.TornBytes, o.found.TornBatches = 0, 0
	case format.minor > store.FormatMinor:
		s.err = fmt.Errorf("%w: %w", store.ErrReadOnly, store.UnknownFormat(format.major, format.minor))
	case s.opts.ReadOnly != nil:
		s.err = fmt.Errorf("%w: %w", store.ErrReadOnly, s.opts.ReadOnly)
		o.found.TornBytes, o.found.TornBatches = 0, 0
	default:
		if err := makeFolders(s.in); err != nil {
			return err
		}
		if err := o.settle(); err != nil {
			return err
		}
		if err := o.removeLeftovers(); err != nil {
			return err
		}
	}
	s.adopt(o)
	if s.err != nil {
		return nil
	}
	return s.hold(o)
}

// adopt takes over what opening found.
func (s *Store) adopt(o *opening) {
	s.recovery, s.end, s.next = o.found, o.end, max(o.next, 1)
	if s.first = o.first(); s.first == 0 {
		s.first = 1
		if len(o.segments) > 0 && s.packs.Last() == 0 {
			s.first = o.segments[0]
		}
	}
	s.generation, s.commits.before = s.packs.Generation, s.packs.Commits()
	if o.whole && o.found.Corrupt == nil {
		s.commits.at, s.commits.upTo, s.commits.next = o.commits, o.end, s.next
	}
	s.writer = writer{store: s, next: s.next, number: o.end.Segment, at: o.end.Offset}
	if o.head != nil {
		s.opened, s.head = *o.head, *o.head
	}
}

// Recovery implements store.Recoverer.
func (s *Store) Recovery() store.Recovery {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.recovery.Clone()
}

// End implements store.Store.
func (s *Store) End() store.Pos {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.end
}

// Err implements store.Store.
func (s *Store) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// Head implements store.Store.
func (s *Store) Head() store.Head {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.head.Head
}

// SetHead implements store.Store.
func (s *Store) SetHead(h store.Head) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.head.Head = h
}

// Stop implements store.Store. A Corruption that names no file is of the journal.
func (s *Store) Stop(cause error) {
	if bad, ok := errors.AsType[*store.Corruption](cause); ok {
		_ = s.corrupt(&store.Corruption{File: cmp.Or(bad.File, record.JournalFolder), Segment: bad.Segment, Offset: bad.Offset, Reason: bad.Reason})
		return
	}
	_ = s.fail(cause)
}

// fail makes the store read-only for a cause, which is returned with
// ErrReadOnly around it; the first counts.
func (s *Store) fail(cause error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err = fmt.Errorf("%w: %w", store.ErrReadOnly, cause)
	}
	return s.err
}

// writable returns the reason why nothing can be written. s.mu is held.
func (s *Store) writable() error {
	if s.closed {
		return store.ErrClosed
	}
	return s.err
}

// Close implements store.Store. It ends a Pack or Rewrite, cuts off what was preallocated,
// writes the file head and closes the files. The caller then unlocks.
func (s *Store) Close() error {
	s.ending.Do(func() { close(s.closing) })
	s.packing.Lock()
	defer s.packing.Unlock()
	s.lead <- struct{}{}
	defer func() { <-s.lead }()
	s.images.Lock()
	defer s.images.Unlock()

	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	waiting, readOnly, head := s.queue, s.err != nil, s.head
	s.queue = nil
	head.end, head.first, head.next = s.end, s.first, s.next
	changed := head != s.opened
	s.mu.Unlock()
	var lost error
	if !readOnly && (changed || s.writer.file != nil) {
		if lost = s.Owned(); lost != nil {
			readOnly = true // what another process may have now is left alone
		}
	}

	for _, g := range waiting {
		g.finish(store.ErrClosed)
	}
	err := errors.Join(lost, s.writer.close(!readOnly))
	if err == nil && !readOnly && changed {
		err = vfs.WriteAtomic(s.in, headFile, head.encode(), filePerm)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, seg := range s.segments {
		err = errors.Join(err, seg.retire())
	}
	for _, p := range s.packs.packs {
		err = errors.Join(err, p.retire())
	}
	clear(s.segments)
	if err != nil {
		return fmt.Errorf("close store: %w", err)
	}
	return nil
}
