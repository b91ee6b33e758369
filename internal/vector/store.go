// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package vector

import (
	"errors"
	"fmt"
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
	file    vfs.File // nil while vectors are kept in memory alone
	fault   error    // why there is no file
	dirty   []int    // rows whose records are to be erased
	damaged int      // records that could not be read

	rows  content
	codes *codes // nil, or those of the first rows
	epoch int    // how often rows got other numbers

	set atomic.Pointer[Set] // nil after a change
}

// Item is a text, by its own digest, with its vector: of any length but zero. A nil Vector
// says that there is none, and that the text is not to be tried again.
type Item struct {
	Digest merkle.Digest
	Vector []float32
}

// Stat says what a store holds.
type Stat struct {
	Vectors int   // texts with a vector
	Failed  int   // texts that have none and are not to be tried again
	Coded   int   // rows that codes cover
	Damaged int   // records that could not be read when the file was opened, and were erased
	Erased  int   // records without content, which Compact removes
	Bytes   int64 // size of the file
}

// Stat returns what the store holds.
func (s *Store) Stat() Stat {
	s.mu.RLock()
	defer s.mu.RUnlock()
	n, counts := len(s.rows.kinds), s.rows.counts
	stat := Stat{Vectors: counts[stored], Failed: counts[failed], Damaged: s.damaged, Erased: counts[erased]}
	if s.codes != nil {
		stat.Coded = s.codes.n
	}
	if s.file != nil {
		stat.Bytes = int64(headerSize + n*s.model.recordSize())
	}
	return stat
}

// Missing returns those digests of a list that have neither a vector nor a failure, in order.
func (s *Store) Missing(digests []merkle.Digest) []merkle.Digest {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var missing []merkle.Digest
	for i := range digests {
		if _, ok := s.rows.find(&digests[i]); !ok {
			missing = append(missing, digests[i])
		}
	}
	return missing
}

// Put adds a batch, and returns when it is durable. A digest that has a vector keeps it; a
// failure is replaced. Vectors are scaled to length 1 and rounded to half precision. A vector
// that has another length than the model's, is zero or has no finite values is fault.Invalid, and then
// nothing was added. After any other error the vectors are in memory and not in the file,
// so that Missing names them when the store is opened again.
func (s *Store) Put(items []Item) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	units := make([][]float32, len(items))
	for i, it := range items {
		if it.Vector == nil {
			continue
		}
		unitOf, err := s.model.unit(it.Vector)
		if err != nil {
			return fault.Wrap("keep vectors", it.Digest.String(), fault.Invalid, err)
		}
		units[i] = unitOf
	}
	first := len(s.rows.kinds)
	for i, it := range items {
		s.put(it.Digest, units[i])
	}
	s.set.Store(nil)
	return fault.Wrap("keep vectors", s.name, fault.Other, errors.Join(s.write(first), s.erase()))
}

// unit scales a vector to length 1 and rounds it, into a new slice.
func (m Model) unit(v []float32) ([]float32, error) {
	if len(v) != m.Dim {
		return nil, fmt.Errorf("a vector of %d numbers, want %d: embed the text with the model of the store", len(v), m.Dim)
	}
	to := make([]float32, m.Dim)
	if !unit(to, v) {
		return nil, errDirection
	}
	var half [2]byte
	for i, x := range to {
		putHalf(half[:], x)
		to[i] = getHalf(half[:])
	}
	return to, nil
}

// put adds a row in memory, unless the digest has one as good. s.mu is held.
func (s *Store) put(d merkle.Digest, vector []float32) {
	if row, ok := s.rows.find(&d); ok {
		if s.rows.kinds[row] == stored || vector == nil {
			return
		}
		s.rows.forget(row)
		s.dirty = append(s.dirty, row)
	}
	k := failed
	if next := s.rows.next(); vector != nil {
		k = stored
		copy(next, vector)
	}
	s.rows.enter(k, d)
}

// Drop removes digests: texts that were deleted, or purged. It returns when they are gone from the file,
// overwritten and synced, and how many there were. After an error they are gone from memory
// and may be in the file, until a later Drop, Put or Compact succeeds.
func (s *Store) Drop(digests []merkle.Digest) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	dropped := 0
	for i := range digests {
		if row, ok := s.rows.find(&digests[i]); ok {
			s.rows.forget(row)
			s.dirty = append(s.dirty, row)
			dropped++
		}
	}
	if dropped > 0 {
		s.set.Store(nil)
	}
	err := s.fault // without a file that can be read, who knows what is in it
	if len(s.dirty) > 0 && s.file != nil {
		if err = s.erase(); err == nil {
			err = s.file.SyncData()
		}
	}
	return dropped, fault.Wrap("drop vectors", s.name, fault.Other, err)
}

// View returns the rows as they are now.
func (s *Store) View() *Set {
	if set := s.set.Load(); set != nil {
		return set
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.view()
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

var (
	errClosed    = errors.New("the store is closed: open it again")
	errDirection = errors.New("a vector without direction, zero or not finite: embed the text again, or mark it as failed")
)
