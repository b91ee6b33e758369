// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"context"
	"errors"

	"github.com/fovea-memory/fovea/internal/guard"
)

// hasNews reports whether the changes differ from those in earlier alerts.
func hasNews(book *guard.Book, amiss []guard.FileStatus) bool {
	told := 0
	for i := range amiss {
		if !amiss[i].ChangedOutside() {
			continue
		}
		if book.Notified(amiss[i].Path) != amiss[i].File {
			return true
		}
		told++
	}
	return told != book.NotifiedCount()
}

// recordAlerts compares the files again as the chain's writer, sends the new alerts and
// records them.
func (m *Memory) recordAlerts(ctx context.Context, v *View, present bool) []guard.FileStatus {
	defer m.chain.Begin().End()
	if present {
		v = m.View()
	}
	found := m.changedFiles(stateOf(v))
	if m.closed {
		return found
	}
	entries, err := m.alertOwner(found)
	if err == nil {
		err = m.chain.Writer().Attest(ctx, guardMarks(entries...)...)
	}
	if err != nil {
		if m.chain.Store().Err() == nil {
			m.opts.Log.Warn("that a change was told of could not be written down", "error", err)
		}
		_ = m.chain.Writer().Assume(guardMarks(entries...)...) // no repeat in this process
	}
	return found
}

// alertOwner sends alerts for new changes and returns the entries that record them. If no
// baseline is verified, it sends a single alert. The caller is the chain's writer.
func (m *Memory) alertOwner(found []guard.FileStatus) (entries []guard.Entry, err error) {
	book, amiss := m.trust().book, map[string]bool{}
	var fresh []*guard.FileStatus
	for i := range found {
		s := &found[i]
		if !s.ChangedOutside() {
			continue
		}
		amiss[s.Path] = true
		if book.Notified(s.Path) != s.File {
			entries = append(entries, guard.Entry{Notified: s.Path, File: s.File})
			fresh = append(fresh, s)
		}
	}
	for i, s := range fresh {
		more := 0
		if s.State == guard.Unsigned {
			if i > 0 {
				break
			}
			more = len(fresh) - 1
		}
		err = errors.Join(err, m.sendAlert(s, more))
	}
	for _, path := range book.NotifiedPaths() {
		if !amiss[path] {
			entries = append(entries, guard.Entry{Notified: path})
		}
	}
	return entries, err
}

// sendAlert sends an alert about a change, with the number of other files with the same
// problem. After an error the alert is repeated. The caller is the chain's writer.
func (m *Memory) sendAlert(s *guard.FileStatus, more int) error {
	tell := m.opts.Log.Info // the alert is more prominent
	if m.opts.Alert == nil {
		tell = m.opts.Log.Warn
	}
	tell("a protected file changed from outside", "path", s.Path, "state", string(s.State), "mode", s.Mode.String(), "more", more)
	if m.opts.Alert == nil {
		return nil
	}
	a := guard.Alert{Memex: m.dir, Path: s.Path, Mode: s.Mode, State: s.State, File: s.File, Time: m.opts.Now(), More: more}
	if s.State == guard.Changed {
		a.Changes = m.changes(s)
	}
	return m.opts.Alert(a)
}
