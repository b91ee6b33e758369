// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/fovea-memory/fovea/internal/corpus"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
)

// Status describes the state of a memory.
type Status struct {
	Memex     string
	StateDir  string
	Scope     string   // memex, project/NAME or session/ID
	Scopes    []string // of a memex: the scopes beside it
	Root      merkle.Digest
	Head      Commit
	Nodes     int
	Documents int
	Drift     []string       // files that differ from memory on purpose
	Missing   []string       // files that the folder has lost and memory keeps
	Problems  []node.Problem // files of the last scan that could not be read
	ReadOnly  string         // why nothing can be written, "" when it can
	Recovered string         // what opening had to mend, "" for nothing
	Kin       string         // that another store knows these notes, and what takes its history along; "" for none
	History   int64          // bytes that journal and packs take
	Large     string         // that History is above Options.HistoryWarn, "" when it is not
	SignedBy  string         // the known key that signed the head, NAME+HASH, "" for none
	Signature string         // why the newest signature does not vouch for the head, "" for nothing
	Baselines string         // why nothing vouches for what is trusted of protected files, "" where something does
	Relaxed   time.Duration  // how long what was told may not be on the disk, see Options
}

// scanned is what the writer knows beside the chain, for Status.
type scanned struct {
	problems  []corpus.Problem
	missing   []string // must not be changed
	recovered string
	table     *corpus.Table
}

// publishStatus gives Status what the writer knows beside the chain. The caller is the
// writer.
func (m *Memory) publishStatus() {
	m.scanned.Store(&scanned{m.problems, m.missing, m.recovered, m.table})
}

// Status returns the status of the memory, at little cost. It does not wait for writers,
// but may wait for a scope that is being opened.
func (m *Memory) Status() Status {
	writable := m.Writable() // it waits for a scope that is being opened, which may wait for the chain
	defer m.chain.Reading()()
	at, t := m.chain.Head(), m.scanned.Load()
	v := at.Derived.(*View)
	s := Status{
		Memex: m.dir, StateDir: m.state, Scope: m.scope, Root: v.Root(), Head: v.commit,
		Nodes: v.Len(), Documents: v.state.DocumentCount(), Drift: sortedKeys(m.ledgers.drift.At(at)),
		Kin: m.kin, Missing: slices.Clone(t.missing), Recovered: m.skippedOnOpen(),
	}
	for _, p := range t.problems {
		s.Problems = append(s.Problems, node.Problem{Path: p.Path, Kind: string(p.Kind), Message: p.Err.Error()})
	}
	if m.parent == nil {
		names, err := m.Scopes()
		if s.Scopes = names; err != nil {
			s.Problems = append(s.Problems, node.Problem{Path: scopesFolder, Kind: "scope", Message: err.Error()})
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

// skippedOnOpen describes the parts of the store skipped on opening; "" for none.
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

// Synced returns when a document of a view and its file were last known to agree:
// when the file was read, or written through Fovea. Of an earlier moment it is
// when the document had last changed then; so it is where the memory no longer
// knows when it read the file. The zero time is that of no document. O(nodes of
// the document).
func (m *Memory) Synced(v *View, path string) time.Time {
	latest := time.Time{}
	later := func(t time.Time) {
		if t.After(latest) {
			latest = t
		}
	}
	for n := range v.Document(path) {
		later(timeOf(n.Modified))
	}
	if t := m.scanned.Load(); t.table != nil && v.commit.Seq == m.View().commit.Seq {
		if e, ok := t.table.Get(path); ok {
			later(time.Unix(0, e.Scanned).UTC().Truncate(time.Millisecond))
		}
	}
	return latest
}

// historySize returns what the history takes, and what to say of that.
func (m *Memory) historySize() (size int64, large string) {
	size, err := store.Size(m.chain.Store())
	if err == nil && size > m.opts.HistoryWarn {
		large = fmt.Sprintf("history takes %d MiB; it is kept whole, fovea retain thins it", size>>20)
	}
	return size, large
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func timeOf(ms int64) time.Time { return time.UnixMilli(ms).UTC() }
