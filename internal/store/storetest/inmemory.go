// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"sort"
	"sync"

	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/merkle"
)

// maxImages is how many images an InMemory keeps.
const maxImages = 2

// InMemory is a history without files, which lasts as long as the process. The zero InMemory
// is empty and ready. It is safe for concurrent use.
type InMemory struct {
	mu      sync.Mutex
	records []store.Record // neither the slice nor the data is ever written to
	commits []int          // the indexes of commits
	blocks  map[merkle.Digest][]byte
	purged  map[merkle.Digest]uint64
	images  []store.Image // the newest first
	head    store.Head    // as the last Close left it
	end     store.Pos
	batches uint64
}

// Open returns a store over the history. What was appended before is there, also where the
// store that appended it was closed or stopped. One store is open at a time.
func (h *InMemory) Open() store.Store {
	h.mu.Lock()
	defer h.mu.Unlock()
	return &openInMemory{h: h, head: h.head}
}

// openInMemory is an open InMemory, whose lock guards it.
type openInMemory struct {
	h      *InMemory
	head   store.Head
	found  store.Recovery
	err    error
	closed bool
}

// lock locks the history and returns how to unlock it, and why the store cannot be read.
func (s *openInMemory) lock() (unlock func(), err error) {
	s.h.mu.Lock()
	if s.closed {
		err = store.ErrClosed
	}
	return s.h.mu.Unlock, err
}

func (s *openInMemory) Append(ctx context.Context, b *store.Batch) (store.Pos, error) {
	if err := b.Err(); err != nil {
		return store.Pos{}, err
	}
	unlock, err := s.lock()
	defer unlock()
	if err = cmp.Or(ctx.Err(), err, s.err); err != nil {
		return store.Pos{}, fmt.Errorf("append batch: %w", err)
	}
	if b.Len() > 0 {
		s.h.append(b)
	}
	return s.h.end, nil
}

// append appends a batch with records. h.mu is held.
func (h *InMemory) append(b *store.Batch) {
	h.end.Segment = 1
	h.batches++
	for kind, data := range RecordsOf(b) {
		h.add(store.Record{Kind: kind, Batch: h.batches, Pos: h.end, Data: bytes.Clone(data)})
		h.end.Offset += int64(store.RecordSize(len(data)))
	}
}

// RecordsOf yields the kind and the data of each record of a batch, in order. The data is the
// batch's.
func RecordsOf(b *store.Batch) iter.Seq2[store.Kind, []byte] {
	return func(yield func(store.Kind, []byte) bool) {
		for rest := b.Bytes(); len(rest) > 0; {
			length := int(binary.LittleEndian.Uint32(rest))
			if !yield(store.Kind(rest[4]), rest[store.Headroom:][:length:length]) {
				return
			}
			rest = rest[store.RecordSize(length):]
		}
	}
}

// add appends a record. h.mu is held.
func (h *InMemory) add(r store.Record) {
	if r.Kind == store.Commit {
		h.commits = append(h.commits, len(h.records))
	}
	if r.Kind.HasDigest() {
		if h.blocks == nil {
			h.blocks = map[merkle.Digest][]byte{}
		}
		h.blocks[merkle.Sum(r.Data)] = r.Data
	}
	h.records = append(h.records, r)
}

func (s *openInMemory) Block(d merkle.Digest) ([]byte, error) {
	unlock, err := s.lock()
	defer unlock()
	data, ok := s.h.blocks[d]
	switch by := s.h.purged[d]; {
	case err != nil:
	case ok:
		return append([]byte{}, data...), nil
	case by != 0:
		err = &store.Purged{By: by}
	default:
		err = store.ErrNotFound
	}
	return nil, fmt.Errorf("read block %v: %w", d, err)
}

func (s *openInMemory) Commits(ctx context.Context, span store.Span, fn func(store.Record) error) error {
	unlock, err := s.lock()
	records, commits := s.h.records, s.h.commits
	unlock()
	if err != nil {
		return fmt.Errorf("read commits: %w", err)
	}
	to := min(span.To, uint64(len(commits)))
	commits = slices.Clone(commits[min(max(span.From, 1)-1, to):to])
	if span.Backward {
		slices.Reverse(commits)
	}
	for _, i := range commits {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("read commits: %w", err)
		}
		if err := fn(records[i]); err != nil {
			return err
		}
	}
	return nil
}

func (s *openInMemory) Replay(from store.Pos, fn func(store.Record) error) error {
	unlock, err := s.lock()
	records := s.h.records
	unlock()
	if err != nil {
		return fmt.Errorf("replay: %w", err)
	}
	first := sort.Search(len(records), func(i int) bool { return records[i].Pos.Compare(from) >= 0 })
	for _, r := range records[first:] {
		if r.Kind == store.Pad {
			continue
		}
		if err := fn(r); err != nil {
			return err
		}
	}
	return nil
}

func (s *openInMemory) End() store.Pos {
	s.h.mu.Lock()
	defer s.h.mu.Unlock()
	return s.h.end
}

func (s *openInMemory) Head() store.Head {
	s.h.mu.Lock()
	defer s.h.mu.Unlock()
	return s.head
}

func (s *openInMemory) SetHead(h store.Head) {
	s.h.mu.Lock()
	defer s.h.mu.Unlock()
	s.head = h
}

func (s *openInMemory) LoadImage() (*store.Image, error) {
	unlock, err := s.lock()
	defer unlock()
	if err == nil && len(s.h.images) == 0 {
		err = store.ErrNoImage
	}
	if err != nil {
		return nil, fmt.Errorf("load image: %w", err)
	}
	img := cloneImage(s.h.images[0])
	return &img, nil
}

// cloneImage returns a copy that shares nothing with the image.
func cloneImage(img store.Image) store.Image {
	img.Sections = slices.Clone(img.Sections)
	for i := range img.Sections {
		img.Sections[i].Data = bytes.Clone(img.Sections[i].Data)
	}
	return img
}

func (s *openInMemory) WriteImage(img store.Image) error {
	unlock, err := s.lock()
	defer unlock()
	if err = cmp.Or(err, s.err, img.Check()); err != nil {
		return fmt.Errorf("write image %d: %w", img.Seq, err)
	}
	images := slices.DeleteFunc(slices.Clone(s.h.images), func(old store.Image) bool { return old.Seq == img.Seq })
	images = append(images, cloneImage(img))
	slices.SortFunc(images, func(a, b store.Image) int { return cmp.Compare(b.Seq, a.Seq) })
	s.h.images = images[:min(len(images), maxImages)]
	return nil
}

func (s *openInMemory) RemoveImages(before uint64) error {
	unlock, err := s.lock()
	defer unlock()
	if err = cmp.Or(err, s.err); err != nil {
		return fmt.Errorf("remove images: %w", err)
	}
	s.h.images = slices.DeleteFunc(slices.Clone(s.h.images), func(img store.Image) bool { return img.Seq < before })
	return nil
}

func (s *openInMemory) Rewrite(ctx context.Context, gone map[merkle.Digest]uint64) error {
	unlock, err := s.lock()
	defer unlock()
	if err = cmp.Or(ctx.Err(), err, s.err); err != nil {
		return fmt.Errorf("rewrite history: %w", err)
	}
	if s.h.purged == nil {
		s.h.purged = map[merkle.Digest]uint64{}
	}
	maps.Copy(s.h.purged, gone)
	all := s.h.records
	s.h.records, s.h.commits, s.h.blocks = nil, nil, nil
	for _, r := range all {
		if r.Kind != store.Block || gone[merkle.Sum(r.Data)] == 0 {
			s.h.add(r)
		}
	}
	return nil
}

func (s *openInMemory) Gone() (map[merkle.Digest]uint64, error) {
	s.h.mu.Lock()
	defer s.h.mu.Unlock()
	return maps.Clone(s.h.purged), nil
}

func (s *openInMemory) Size() (int64, error) {
	s.h.mu.Lock()
	defer s.h.mu.Unlock()
	size := int64(0)
	for _, r := range s.h.records {
		size += int64(store.RecordSize(len(r.Data)))
	}
	return size, nil
}

func (s *openInMemory) Recovery() store.Recovery {
	s.h.mu.Lock()
	defer s.h.mu.Unlock()
	return s.found.Clone()
}

// Sync does nothing: no crash loses appended records.
func (s *openInMemory) Sync() error { return s.writable() }

// Pack has nothing to do.
func (s *openInMemory) Pack(context.Context) error { return s.writable() }

// Packed reports that nothing was packed.
func (s *openInMemory) Packed() bool { return false }

// Check finds nothing: memory is not damaged.
func (s *openInMemory) Check(context.Context, func(store.Corruption)) (uint64, error) {
	unlock, err := s.lock()
	defer unlock()
	return uint64(len(s.h.records)), err
}

// InPlace reports only that the store is open: it cannot be moved.
func (s *openInMemory) InPlace() error {
	unlock, err := s.lock()
	defer unlock()
	return err
}

// Owned reports that the store belongs to this process.
func (s *openInMemory) Owned() error { return nil }

// writable returns why nothing can be written.
func (s *openInMemory) writable() error {
	unlock, err := s.lock()
	defer unlock()
	return cmp.Or(err, s.err)
}

func (s *openInMemory) Err() error {
	s.h.mu.Lock()
	defer s.h.mu.Unlock()
	return s.err
}

func (s *openInMemory) Stop(cause error) {
	s.h.mu.Lock()
	defer s.h.mu.Unlock()
	if bad, ok := errors.AsType[*store.Corruption](cause); ok && s.found.Corrupt == nil {
		s.found.Corrupt = bad
	}
	if s.err == nil {
		s.err = fmt.Errorf("%w: %w", store.ErrReadOnly, cause)
	}
}

func (s *openInMemory) Close() error {
	unlock, err := s.lock()
	defer unlock()
	if err == nil && s.err == nil {
		s.h.head = s.head
	}
	s.closed = true
	return nil
}
