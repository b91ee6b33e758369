// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/ingest"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/view"
	"github.com/fovea-memory/fovea/merkle"
)

// Status describes the state of a memory.
type Status struct {
	Memex     string
	StateDir  string
	Scope     string   // memex, project/NAME or session/ID
	Scopes    []string // of a memex: its other scopes
	Root      merkle.Digest
	Head      Commit
	Nodes     int
	Documents int
	Drift     []string           // files that differ from memory on purpose, see WriteOptions
	Missing   []string           // documents in memory without a file in the folder
	Problems  []document.Problem // files that the last scan could not read
	ReadOnly  string             // why writes are refused, or ""
	Recovered string             // what opening repaired, or ""
	Kin       string             // another store with these notes, how to adopt it, or ""
	History   int64              // size of journal and packs in bytes
	Large     string             // a warning if History exceeds Options.HistoryWarn, or ""
	SignedBy  string             // the known key that signed the head, NAME+HASH, or ""
	Signature string             // why the newest signature does not cover the head, or ""
	Baselines string             // why the baselines of protected files are unverified, or ""
	Relaxed   time.Duration      // how long an acknowledged commit may be unsynced, see Options
}

// Status returns the status of the memory, at low cost. It does not wait for writers, but
// may wait for a scope that is being opened.
func (m *Memory) Status() Status {
	writable := m.Writable() // before Reading: it may wait for an opening scope
	defer m.scope.Chain.Reading()()
	at, t := m.scope.Chain.Head(), ingest.ReportOf(m.folder)
	v := at.Derived.(*view.View)
	s := Status{
		Memex: m.scope.Dir, StateDir: m.scope.StateDir, Scope: m.scope.Name, Root: v.Root(), Head: v.Head(),
		Nodes: v.Len(), Documents: view.StateOf(v).DocumentCount(), Drift: slices.Sorted(maps.Keys(m.scope.DriftAt(at))),
		Missing: slices.Clone(t.Missing), Recovered: skippedOnOpen(m.scope.Chain),
	}
	for _, p := range t.Problems {
		s.Problems = append(s.Problems, document.Problem{Path: p.Path, Kind: string(p.Kind), Message: p.Err.Error()})
	}
	if m.scope.Parent == nil {
		s.Kin = m.memex.kin
		names, err := m.Scopes()
		if s.Scopes = names; err != nil {
			s.Problems = append(s.Problems, document.Problem{Path: scope.Folder, Kind: "scope", Message: err.Error()})
		}
	}
	s.Relaxed = m.scope.Options.Relaxed
	s.SignedBy, s.Signature = m.scope.Chain.SignedBy(at)
	s.Baselines = m.rights.BaselineStatus()
	s.History, s.Large = historySize(m.scope)
	if writable != nil {
		s.ReadOnly = writable.Error()
	}
	if s.Recovered != "" && t.Recovered != "" {
		s.Recovered += "; "
	}
	s.Recovered += t.Recovered
	return s
}

// skippedOnOpen describes the parts of the store that were skipped on opening, or "".
func skippedOnOpen(c *chain.Chain) string {
	var told []string
	r := store.RecoveryOf(c.Store())
	if r.TornBytes > 0 {
		told = append(told, fmt.Sprintf("cut %d bytes of an unfinished write off the journal; nothing acknowledged was lost", r.TornBytes))
	}
	if n := len(r.DamagedImages); n > 0 {
		told = append(told, fmt.Sprintf("%s does not verify and was passed over; the rest was read, and fovea checkpoint writes a new image",
			strings.Join(r.DamagedImages, ", ")))
	}
	return strings.Join(told, "; ")
}

// historySize returns the size of the history, and a warning if it is too large.
func historySize(s *scope.Scope) (size int64, large string) {
	size, err := store.Size(s.Chain.Store())
	if err == nil && size > s.Options.HistoryWarn {
		large = fmt.Sprintf("history takes %d MiB; it is kept whole, fovea retain thins it", size>>20)
	}
	return size, large
}

// Writable returns nil if the memory can be written, including the open scopes of a
// memex. Otherwise it returns the error of the store, or an error that names the folder or
// file that is no longer where the memory opened it. After a write error the memory must
// be opened again; a moved folder can be put back until the next write. It costs a few
// system calls for each scope.
func (m *Memory) Writable() error {
	s := m.scope.Chain.Store()
	err := s.Err()
	if err == nil {
		err = store.InPlace(s)
	}
	if err != nil || m.scope.Parent != nil {
		return err
	}
	return m.ScopesWritable()
}

// ScopesWritable returns the first error of Writable among the named scopes that are open,
// or all open ones if none is named. The error names the scope.
func (m *Memory) ScopesWritable(names ...string) error {
	x := m.memex
	x.mu.Lock()
	open := maps.Clone(x.open)
	x.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(open)) {
		if len(names) > 0 && !slices.Contains(names, name) {
			continue
		}
		if err := open[name].Writable(); err != nil && !errors.Is(err, store.ErrClosed) {
			return fmt.Errorf("%s takes no writes: %w", name, err)
		}
	}
	return nil
}

// InPlace returns nil while the memex and the store are where they were opened. It is
// called before each response, because the owner sees the folder at the path of the
// memex. Errors: Conflict (the memex was moved or replaced, so the memory is that of
// another folder), ReadOnly (files of the store were moved or replaced; the memory is
// complete but cannot be written). A few system calls.
func (m *Memory) InPlace() error {
	if err := m.scope.InPlace("read"); err != nil {
		return err
	}
	return m.scope.StoreInPlace("read")
}

// unwritten returns the error that warns readers of a head that is held in memory only.
func unwritten(s *scope.Scope, op string) error {
	tx := s.Chain.Begin()
	defer tx.End()
	if tx.LastStored() == nil {
		return nil
	}
	return fail(op, s.StateDir, ReadOnly, fmt.Errorf("what changed in the folder is read, and not written down: %w", s.Chain.Store().Err()))
}
