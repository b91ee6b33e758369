// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/corpus"
	"github.com/fovea-memory/fovea/internal/store"
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

// scanned holds the writer's data outside the chain, for Status.
type scanned struct {
	problems  []corpus.Problem
	missing   []string // read-only
	recovered string
	table     *corpus.Table
}

// report returns what publishStatus published last.
func (m *Memory) report() *scanned { return m.scanned.Load() }

// publishStatus publishes the writer's data for Status. The caller is the chain's writer.
func (m *Memory) publishStatus() {
	m.scanned.Store(&scanned{m.problems, m.missing, m.recovered, m.table})
}

// Status returns the status of the memory, at low cost. It does not wait for writers, but
// may wait for a scope that is being opened.
func (m *Memory) Status() Status {
	writable := m.Writable() // before Reading: it may wait for an opening scope
	defer m.chain.Reading()()
	at, t := m.chain.Head(), m.report()
	v := at.Derived.(*View)
	s := Status{
		Memex: m.dir, StateDir: m.state, Scope: m.scope, Root: v.Root(), Head: v.Head(),
		Nodes: v.Len(), Documents: stateOf(v).DocumentCount(), Drift: slices.Sorted(maps.Keys(m.drifts.At(at))),
		Kin: m.kin, Missing: slices.Clone(t.missing), Recovered: m.skippedOnOpen(),
	}
	for _, p := range t.problems {
		s.Problems = append(s.Problems, document.Problem{Path: p.Path, Kind: string(p.Kind), Message: p.Err.Error()})
	}
	if m.parent == nil {
		names, err := m.Scopes()
		if s.Scopes = names; err != nil {
			s.Problems = append(s.Problems, document.Problem{Path: scopesFolder, Kind: "scope", Message: err.Error()})
		}
	}
	s.Relaxed = m.opts.Relaxed
	s.SignedBy, s.Signature = m.chain.SignedBy(at)
	s.Baselines = m.baselineStatus()
	s.History, s.Large = m.historySize()
	if writable != nil {
		s.ReadOnly = writable.Error()
	}
	if s.Recovered != "" && t.recovered != "" {
		s.Recovered += "; "
	}
	s.Recovered += t.recovered
	return s
}

// skippedOnOpen describes the parts of the store that were skipped on opening, or "".
func (m *Memory) skippedOnOpen() string {
	var told []string
	r := store.RecoveryOf(m.chain.Store())
	if r.TornBytes > 0 {
		told = append(told, fmt.Sprintf("cut %d bytes of an unfinished write off the journal; nothing acknowledged was lost", r.TornBytes))
	}
	if n := len(r.DamagedImages); n > 0 {
		told = append(told, fmt.Sprintf("%s does not verify and was passed over; the rest was read, and fovea checkpoint writes a new image",
			strings.Join(r.DamagedImages, ", ")))
	}
	return strings.Join(told, "; ")
}

// Synced returns when a document of a view and its file were last known to agree: when the
// file was read, or written through Fovea. For a past view, or if that time is no longer
// known, it returns when the document last changed. The result is zero if the document does
// not exist. O(nodes of the document).
func (m *Memory) Synced(v *View, path string) time.Time {
	latest := time.Time{}
	later := func(t time.Time) {
		if t.After(latest) {
			latest = t
		}
	}
	for n := range v.Document(path) {
		later(time.UnixMilli(n.Modified).UTC())
	}
	if t := m.scanned.Load(); t.table != nil && v.Head().Seq == m.chain.Head().Commit.Seq {
		if e, ok := t.table.Get(path); ok {
			later(time.Unix(0, e.Scanned).UTC().Truncate(time.Millisecond))
		}
	}
	return latest
}

// historySize returns the size of the history, and a warning if it is too large.
func (m *Memory) historySize() (size int64, large string) {
	size, err := store.Size(m.chain.Store())
	if err == nil && size > m.opts.HistoryWarn {
		large = fmt.Sprintf("history takes %d MiB; it is kept whole, fovea retain thins it", size>>20)
	}
	return size, large
}
