// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package scope

import (
	"fmt"
	"path/filepath"
	"strconv"

	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/stores"
)

// FindHistory searches the other stores for the notes of a memex without a store, so that a
// moved or renamed folder continues its history and never silently begins a new one. It
// returns Held for a moved folder. kin describes another store of these notes, see fovea.Status.
func FindHistory(s *Scope) (kin string, err error) {
	if s.Options.Stores == "" || s.Options.Anew || stores.Begun(s.StateDir) {
		return "", nil
	}
	found, err := stores.Find(s.Options.Stores, s.Dir, s.StateDir)
	if err != nil {
		s.Options.Log.Warn("cannot look for the history of this folder", "why", err)
		return "", nil
	}
	if len(found) == 0 {
		return "", nil
	}
	k := found[0]
	others := ""
	if len(found) > 1 {
		others = fmt.Sprintf(" (other stores that know these notes: %d, see fovea status --all)", len(found)-1)
	}
	switch way := "fovea adopt " + strconv.Quote(k.Dir); {
	case s.Options.Adopt && len(found) > 1 && found[1].Moved == k.Moved:
		return "", fault.Wrap("open", s.Dir, fault.Ambiguous, fmt.Errorf("several stores know these notes; name one: %s%s", way, others))
	case s.Options.Adopt:
		return "", fault.Wrap("open", s.Dir, fault.Conflict, take(s, k))
	case k.Memex == s.Dir && filepath.Dir(s.StateDir) != s.Options.Stores: // explicit state folder: a new history
		kin = fmt.Sprintf("the history%s of these notes is in %s, and a new one begins in %s", long(k), k.Dir, s.StateDir)
	case k.Moved:
		return "", fault.Wrap("open", s.Dir, fault.Held, fmt.Errorf(
			"these notes were at %s, and their history%s waits for them: %s goes on with it, fovea adopt --new begins a new one%s",
			k.Memex, long(k), way, others))
	default:
		kin = fmt.Sprintf("these notes are a copy of %s and begin a history of their own; %s would copy the old one%s instead%s",
			k.Memex, way, long(k), others)
	}
	return kin, nil
}

// take adopts the history of another store. The witness drops a store that moved; opening this one
// records it.
func take(s *Scope, k stores.Match) error {
	if err := stores.Take(k.Dir, s.StateDir, s.Dir, !k.Moved); err != nil || !k.Moved || s.Options.Witness == nil {
		return err
	}
	if err := s.Options.Witness.Remember(k.Dir, k.Memex, ""); err != nil {
		s.Options.Log.Warn("what was signed at the old place is still remembered", "error", err)
	}
	return nil
}

// long describes the length of a store's history, if known.
func long(k stores.Match) string {
	if k.Commits == 0 {
		return ""
	}
	return " of " + Count(int(k.Commits), "commit")
}

// MarkFolder records in the store which folder this is, so that it is recognized after a
// move. A store that cannot be written is skipped.
func MarkFolder(s *Scope) {
	if s.Options.Store != nil || s.Chain.Store().Err() != nil {
		return
	}
	if err := stores.Mark(s.FS, s.Dir); err != nil {
		s.Options.Log.Warn("cannot record which folder this is; it may not be recognised when it is moved", "why", err)
	}
}
