// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package vector

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/merkle"
)

// Store holds the vectors of one model, in a file and in memory. It is safe for concurrent
// use. No other process may have the same file open: the caller holds the lock of the
// folder. Make one with Open, and end it with Close.
type Store struct {
	in     vfs.FS
	name   string
	model  Model
	header []byte

	mu      sync.RWMutex
	file    vfs.File // nil if vectors are only in memory
	fault   error    // why there is no file
	dirty   []int    // rows whose records are to be erased
	damaged int      // records that could not be read
	buffer  []float32

	rows rows
	set  atomic.Pointer[Set] // nil after a change
}

// Item is the own digest of a text with its vector, which must not be zero. A nil Vector means
// that the text has none and must not be tried again.
type Item struct {
	Digest merkle.Digest
	Vector []float32
}

// Counts returns the number of texts with a vector, and of those that must not be tried again.
func (s *Store) Counts() (vectors, refused int) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.rows.counts[stored], s.rows.counts[failed]
}

// Knows reports whether a text has a vector or must not be tried again.
func (s *Store) Knows(d merkle.Digest) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	_, ok := s.rows.find(&d)
	return ok
}

// Put adds a batch, and returns when it is durable. A digest that has a vector keeps it; a
// failure is replaced. Vectors are scaled to length 1 and rounded to half precision. A vector
// that has another length than the model's, is zero or has no finite values is fault.Invalid, and then
// nothing was added. After any other error the vectors are in memory but not in the file,
// and are missing when the store is opened again.
func (s *Store) Put(items []Item) error {
	records := make([][]byte, len(items))
	for i, it := range items {
		var err error
		if records[i], err = s.record(it); err != nil {
			return fault.Wrap("keep vectors", it.Digest.String(), fault.Invalid, err)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	first := len(s.rows.kinds)
	var added []byte
	for i, it := range items {
		if row, ok := s.rows.find(&it.Digest); ok && (s.rows.kinds[row] == stored || it.Vector == nil) {
			continue // the present one is as good
		}
		s.take(records[i])
		added = append(added, records[i]...)
	}
	s.set.Store(nil)
	return fault.Wrap("keep vectors", s.name, fault.Other, errors.Join(s.write(first, added), s.erase()))
}

// record encodes the record of an item.
func (s *Store) record(it Item) (record []byte, err error) {
	var unit []float32
	if it.Vector != nil {
		unit, err = s.model.unit(it.Vector)
	}
	return appendRecord(nil, s.header, s.model.Dim, it.Digest, unit), err
}

// unit scales a vector to length 1. It refuses a vector of zeros, and one with an infinity or NaN.
func (m Model) unit(v []float32) ([]float32, error) {
	if len(v) != m.Dim {
		return nil, fmt.Errorf("a vector of %d numbers, want %d: embed the text with the model of the others", len(v), m.Dim)
	}
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if !(sum > 0) || math.IsInf(sum, 0) { // NaN is not greater
		return nil, errors.New("a vector without direction, zero or not finite: embed the text again, or mark it as failed")
	}
	to, scale := make([]float32, m.Dim), 1/math.Sqrt(sum)
	for i, x := range v {
		to[i] = float32(float64(x) * scale)
	}
	return to, nil
}

// Retain removes the texts that are not live, because they were deleted or purged, and returns their number. When it
// returns they are overwritten in the file and synced. After an error they are gone from memory and may be in the
// file until a later Retain or Put succeeds. O(rows).
func (s *Store) Retain(isLive func(merkle.Digest) bool) (removed int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for row, k := range s.rows.kinds {
		if k != erased && !isLive(s.rows.digests[row]) {
			s.rows.forget(row)
			s.dirty = append(s.dirty, row)
			removed++
		}
	}
	if removed > 0 {
		s.set.Store(nil)
	}
	if removed > 0 || len(s.dirty) > 0 && s.file != nil {
		if err = s.erase(); err == nil {
			err = s.file.SyncData()
		}
	}
	return removed, fault.Wrap("remove vectors", s.name, fault.Other, err)
}

// View returns the rows as they are now.
func (s *Store) View() *Set {
	if set := s.set.Load(); set != nil {
		return set
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	set := s.set.Load() // another caller may have set it
	if set == nil {
		s.rows.draw()
		set = &Set{s.rows, &s.model, float32(largestLow * math.Sqrt(float64(s.rows.low.stride)))}
		set.kinds, set.live = nil, slices.Clone(s.rows.live)
		s.set.Store(set)
	}
	return set
}

// Close closes the file. The store must not be used afterwards; Sets stay valid.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file == nil {
		return nil
	}
	err := s.file.Close()
	s.file, s.fault = nil, errClosed
	return fault.Wrap("close vectors", s.name, fault.Other, err)
}

var errClosed = errors.New("the store is closed: open it again")
