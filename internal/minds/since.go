// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package minds

import (
	"slices"
	"time"

	"github.com/fovea-memory/fovea/internal/view"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/window"
	"github.com/fovea-memory/fovea/working"
)

// Since describes how memory differs from what the previous window showed to the same agent in the same
// session. The lists hold ids, in the order of the parts.
type Since struct {
	Window    uint64    `json:"window,omitempty" jsonschema:"the number of the previous window, if it is recorded already"`
	Time      time.Time `json:"time,omitzero" jsonschema:"when it was given; absent if there was none, and everything is new"`
	New       []string  `json:"new" jsonschema:"ids of nodes that this window shows and the previous one did not"`
	Changed   []string  `json:"changed" jsonschema:"ids of nodes that the previous window showed and that have changed"`
	Gone      []string  `json:"gone" jsonschema:"ids of nodes that the previous window showed and that no longer exist"`
	Unchanged int       `json:"unchanged" jsonschema:"number of nodes of the previous window that are unchanged"`
}

// Repeats reports whether a window has the text of the previous one, or shows nothing new: the previous one
// showed at least as much of every node, unchanged since.
func (s *Since) Repeats(before *Window, w *window.Window) bool {
	if s == nil || len(s.New)+len(s.Changed)+len(s.Gone) > 0 || len(before.Parts) == 0 {
		return false
	}
	if before.Text == merkle.SumText(w.Text).String() {
		return true
	}
	levels := map[string]window.Level{}
	for _, p := range before.Parts {
		levels[p.ID] = p.Level
	}
	return !slices.ContainsFunc(w.Parts, func(p window.Part) bool {
		return !working.IsNoted(p.ID) && (p.Level > levels[p.ID] || p.Level == window.Snippet)
	})
}

// Compare compares a window and its view with the manifest of the previous window, and marks new and changed
// parts in their reasons, except what Fovea itself recorded about the agent. It returns nil if there is no
// previous window.
func Compare(before *Window, v *view.View, w *window.Window) *Since {
	if before == nil {
		return nil
	}
	s := &Since{Window: before.ID, Time: before.Time, New: []string{}, Changed: []string{}, Gone: []string{}}
	changed := map[string]bool{} // by id, for the parts of the previous window
	for _, p := range before.Parts {
		if working.IsNoted(p.ID) {
			continue
		}
		n, there := v.Get(p.ID)
		if changed[p.ID] = there && n.Own != p.Digest; changed[p.ID] {
			s.Changed = append(s.Changed, p.ID)
		} else if there {
			s.Unchanged++
		} else {
			s.Gone = append(s.Gone, p.ID)
		}
	}
	for i := range w.Parts {
		p := &w.Parts[i]
		switch differs, known := changed[p.ID]; {
		case working.IsNoted(p.ID):
		case differs:
			p.Reason += "; changed since the window before"
		case !known:
			s.New = append(s.New, p.ID)
			if len(before.Parts) > 0 {
				p.Reason += "; new since the window before"
			}
		}
	}
	return s
}
