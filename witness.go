// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"fmt"

	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/merkle"
)

// A store without a commit is that of a memex which was never read, or its history was
// taken away. Where something witnesses that there was one, the store is damaged: it
// takes no writes, and no protected file is trusted as it is found.

// witnessEvery is after how many commits what the signer remembers of a store is written
// anew: that there was a history matters more than how far it went.
const witnessEvery = 64

// missHistory makes the store damaged where its history is missing.
func (m *Memory) missHistory() {
	if m.View().commit.Seq > 0 || store.RecoveryOf(m.store).Corrupt != nil {
		return
	}
	why := m.signedBefore()
	if why == "" {
		why = m.scannedBefore()
	}
	if why != "" {
		m.store.Stop(&store.Corruption{Reason: why}) // Status says it
	}
}

// signedBefore says that the signer remembers this store, "" where it does not. What it
// remembers counts also where it cannot be read, or no known key signed it: a record that
// was damaged together with the history must not hide that there was one.
func (m *Memory) signedBefore() string {
	const next = "; put a copy of the state folder back, or begin anew with fovea repair"
	switch h, err := m.lastSigned(); {
	case err != nil:
		return "the history is missing, of which this machine has a record (" + err.Error() + ")" + next
	case h.seq > 0:
		return fmt.Sprintf("the history is missing, of which this machine has signed commit %d at %s"+next, h.seq, h.time.UTC().Format("2006-01-02 15:04:05"))
	}
	return ""
}

// scannedBefore says that the table of files is of a state that had something in it, ""
// where it is not.
func (m *Memory) scannedBefore() string {
	b, err := m.fs.ReadFile(tableFile)
	empty := (&graph.State{}).Root()
	if err != nil || len(b) < len(empty) || merkle.Digest(b[:len(empty)]) == empty {
		return ""
	}
	return "the history is missing, of which " + tableFile + " knows; put a copy of the state folder back, or begin anew with fovea repair"
}

// lastSigned returns the newest head of this store that the signer remembers, the zero
// head for none. Errors: those of reading it, and that no known key signed it.
func (m *Memory) lastSigned() (chainHead, error) {
	if m.opts.Witness == nil || !m.hasFiles() {
		return chainHead{}, nil
	}
	signed, err := m.opts.Witness.Signed(m.state)
	if err != nil || signed == "" {
		return chainHead{}, err
	}
	h, _, err := openHead(signed, m.opts.Verifiers)
	return h, err
}

// witness has the signer remember the head: when a store is opened of which it knows
// nothing, such as one that was adopted, at the first commit, and then now and again.
// m.mu is held.
func (m *Memory) witness() {
	head := m.View().commit.Seq
	if m.opts.Witness == nil || !m.hasFiles() || m.signed == "" {
		return
	}
	if m.witnessed == 0 {
		if h, err := m.lastSigned(); err == nil && h.seq <= head {
			m.witnessed = h.seq
		}
	}
	if m.witnessed > 0 && head < m.witnessed+witnessEvery {
		return
	}
	if err := m.opts.Witness.Remember(m.state, m.dir, m.signed); err != nil {
		m.opts.Log.Warn("what was signed is remembered nowhere else", "error", err)
	}
	m.witnessed = head // also where it failed: it is tried again, but not with each commit
}
