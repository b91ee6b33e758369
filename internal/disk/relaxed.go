// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"fmt"
	"time"

	"github.com/fovea-memory/fovea/internal/store"
)

// Sync implements store.Syncer. A store that is not relaxed has nothing to do.
func (s *Store) Sync() error {
	s.lead <- struct{}{}
	defer func() { <-s.lead }()
	s.mu.Lock()
	err := s.writable()
	s.mu.Unlock()
	if err == nil {
		if err = s.syncInPlace(); err != nil {
			err = s.fail(err)
		}
	}
	if err != nil {
		return fmt.Errorf("sync journal: %w", err)
	}
	return nil
}

// syncInPlace syncs what was written, where its name still leads to it. The caller
// leads.
func (s *Store) syncInPlace() error {
	if s.writer.late == 0 {
		return nil
	}
	if err := s.writer.sync(); err != nil {
		return err
	}
	return s.inPlace(store.Pos{Segment: s.writer.number, Offset: s.writer.at})
}

// syncLater sees to it that what was just written is durable in time. The caller
// leads.
func (s *Store) syncLater() {
	if s.opts.Relaxed > 0 && !s.timed {
		s.timed = true
		time.AfterFunc(s.opts.Relaxed, s.syncNow)
	}
}

// syncNow is what the timer does. A closed store was synced by Close; an error
// shows at the next Append and in Err.
func (s *Store) syncNow() {
	s.lead <- struct{}{}
	s.timed = false
	<-s.lead
	_ = s.Sync()
}
