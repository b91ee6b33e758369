// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
)

// Status says how a memory is.
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
	Problems  []node.Problem // files of the last scan that could not be read
	ReadOnly  string         // why nothing can be written, "" when it can
	Recovered string         // what opening had to mend, "" for nothing
	History   int64          // bytes that journal and packs take
	Large     string         // that History is above Options.HistoryWarn, "" when it is not
	SignedBy  string         // the known key that signed the head, NAME+HASH, "" for none
	Signature string         // why the newest signature does not vouch for the head, "" for nothing
	Relaxed   time.Duration  // how long what was told may not be on the disk, see Options
}

// Status says how the memory is. It costs no more than a look.
func (m *Memory) Status() Status {
	m.mu.Lock()
	defer m.mu.Unlock()
	v := m.View()
	s := Status{
		Memex: m.dir, StateDir: m.state, Scope: m.scope, Root: v.Root(), Head: v.commit,
		Nodes: v.Len(), Documents: v.state.DocumentCount(), Drift: sortedKeys(m.drift),
	}
	for _, p := range m.problems {
		s.Problems = append(s.Problems, node.Problem{Path: p.Path, Kind: string(p.Kind), Message: p.Err.Error()})
	}
	if m.parent == nil {
		names, err := m.Scopes()
		if s.Scopes = names; err != nil {
			s.Problems = append(s.Problems, node.Problem{Path: scopesFolder, Kind: "scope", Message: err.Error()})
		}
	}
	s.Relaxed = m.opts.Relaxed
	s.SignedBy, s.Signature = m.signedBy()
	s.History, s.Large = m.historySize()
	if err := m.store.Err(); err != nil {
		s.ReadOnly = err.Error()
	}
	if n := m.store.Recovery().TornBytes; n > 0 {
		s.Recovered = fmt.Sprintf("cut %d bytes of an unfinished write off the journal; nothing acknowledged was lost", n)
	}
	if s.Recovered != "" && m.recovered != "" {
		s.Recovered += "; "
	}
	s.Recovered += m.recovered
	return s
}

// historySize returns what the history takes, and what to say of that.
func (m *Memory) historySize() (size int64, large string) {
	size, err := m.store.Size()
	if err == nil && size > m.opts.HistoryWarn {
		large = fmt.Sprintf("history takes %d MiB; it is kept whole, fovea retain thins it", size>>20)
	}
	return size, large
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func timeOf(ms int64) time.Time { return time.UnixMilli(ms).UTC() }
