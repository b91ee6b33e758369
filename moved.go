// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"fmt"
	"path/filepath"
	"strconv"

	"github.com/fovea-memory/fovea/internal/stores"
)

// findHistory searches the other stores for the notes of a memex without a store, so that a
// moved or renamed folder continues its history and never silently begins a new one. It
// returns Held for a moved folder.
func (m *Memory) findHistory() error {
	if m.opts.Stores == "" || m.opts.Anew || stores.Begun(m.state) {
		return nil
	}
	kin, err := stores.Look(m.opts.Stores, m.dir, m.state)
	if err != nil {
		m.opts.Log.Warn("cannot look for the history of this folder", "why", err)
		return nil
	}
	if len(kin) == 0 {
		return nil
	}
	k := kin[0]
	others := ""
	if len(kin) > 1 {
		others = fmt.Sprintf(" (%d other stores know these notes too: fovea status --all)", len(kin)-1)
	}
	switch way := "fovea adopt " + strconv.Quote(k.Dir); {
	case m.opts.Adopt && len(kin) > 1 && kin[1].Moved == k.Moved:
		return fail("open", m.dir, Ambiguous, fmt.Errorf("several stores know these notes; name one: %s%s", way, others))
	case m.opts.Adopt:
		return fail("open", m.dir, Conflict, m.take(k))
	case k.Memex == m.dir && filepath.Dir(m.state) != m.opts.Stores: // explicit state folder: a new history
		m.kin = fmt.Sprintf("the history%s of these notes is in %s, and a new one begins in %s", long(k), k.Dir, m.state)
	case k.Moved:
		return fail("open", m.dir, Held, fmt.Errorf(
			"these notes were at %s, and their history%s waits for them: %s goes on with it, fovea adopt --new begins a new one%s",
			k.Memex, long(k), way, others))
	default:
		m.kin = fmt.Sprintf("these notes are a copy of %s, and a new history begins; %s takes a copy of the old one%s along%s",
			k.Memex, way, long(k), others)
	}
	return nil
}

// take adopts the history of another store. The witness forgets a store that moved, and
// records this one when it is opened.
func (m *Memory) take(k stores.Kin) error {
	if err := stores.Take(k.Dir, m.state, m.dir, !k.Moved); err != nil || !k.Moved || m.opts.Witness == nil {
		return err
	}
	if err := m.opts.Witness.Remember(k.Dir, k.Memex, ""); err != nil {
		m.opts.Log.Warn("what was signed at the old place is still remembered", "error", err)
	}
	return nil
}

// long describes the length of a store's history, if known.
func long(k stores.Kin) string {
	if k.Commits == 0 {
		return ""
	}
	return " of " + count(int(k.Commits), "commit")
}

// markFolder records in the store which folder this is, so that it is recognized after a
// move. A store that cannot be written is skipped.
func (m *Memory) markFolder() {
	if m.opts.Store != nil || m.chain.Store().Err() != nil {
		return
	}
	if err := stores.Mark(m.fs, m.dir); err != nil {
		m.opts.Log.Warn("cannot note which folder this is; it may not be recognised when it is moved", "why", err)
	}
}
