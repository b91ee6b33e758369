// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"fmt"

	"github.com/fovea-memory/fovea/internal/graph"
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
	if m.View().commit.Seq > 0 || m.store.Recovery().Corrupt != nil {
		return
	}
	why := m.signedBefore()
	if why == "" {
		why = m.scannedBefore()
	}
	if why != "" {
		_ = m.store.Miss(why) // Status says it
	}
}

// signedBefore says which commit of this store the signer remembers, "" for none.
func (m *Memory) signedBefore() string {
	if h, ok := m.lastSigned(); ok {
		return fmt.Sprintf("the history is missing, of which this machine has signed commit %d at %s; put a copy of the state folder back, or begin anew with fovea repair",
			h.seq, h.time.UTC().Format("2006-01-02 15:04:05"))
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

// lastSigned returns the newest head of this store that the signer remembers, if a known
// key signed it.
func (m *Memory) lastSigned() (chainHead, bool) {
	if m.opts.Witness == nil || !m.hasFiles() {
		return chainHead{}, false
	}
	signed, err := m.opts.Witness.Signed(m.state)
	if err != nil {
		m.opts.Log.Warn("what this machine signed is not known", "error", err)
		return chainHead{}, false
	}
	if signed == "" {
		return chainHead{}, false
	}
	h, _, err := openHead(signed, m.opts.Verifiers)
	return h, err == nil
}

// witness has the signer remember the head, once there is one and then now and again.
// m.mu is held.
func (m *Memory) witness() {
	head := m.View().commit.Seq
	if m.opts.Witness == nil || !m.hasFiles() || m.signed == "" {
		return
	}
	if m.witnessed == 0 {
		if h, ok := m.lastSigned(); ok && h.seq <= head {
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
