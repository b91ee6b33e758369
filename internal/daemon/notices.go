// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/guard"
	"github.com/fovea-memory/fovea/internal/text"
	"github.com/fovea-memory/fovea/query"
)

// noticeInterval is the shortest time between two checks for notices.
const noticeInterval = 100 * time.Millisecond

// conflicts is the notice about files that have notes with conflicts.
const conflicts = "conflicts"

// alert sends the owner a message through send, if that is not nil.
func (l *live) alert(send func(string) error, format string, a ...any) {
	if send != nil {
		l.logError(send(text.Page(fmt.Sprintf("Fovea: in the memory of %s, "+format+"\n", append([]any{l.memory.Dir()}, a...)...), guard.MaxMessage)))
	}
}

// nudge makes notices check again soon.
func (l *live) nudge() {
	select {
	case l.nudged <- struct{}{}:
	default:
	}
}

// notices reports to subscribers which files are locked down and which have notes with conflicts,
// whenever that changes, also while the memory is not open. It also finds new remotes.
func (t *terms) notices(l *live) {
	ctx := l.ctx
	conflict, err := query.Parse("tags:" + document.ConflictTag)
	if err != nil {
		l.logError(err)
		return
	}
	inStep := t.inStep(l)
	for {
		inStep()
		for kind, paths := range noticed(ctx, l.memory, conflict) {
			was, known := t.noticed[kind]
			if t.noticed[kind] = paths; known && !slices.Equal(was, paths) {
				isOld := func(path string) bool { return slices.Contains(was, path) }
				if fresh := slices.DeleteFunc(slices.Clone(paths), isOld); kind == conflicts && len(fresh) > 0 {
					l.alert(t.daemon.opts.Alert,
						"both sides changed the same notes in %q\nSee: fovea query tags-local:conflict\nThen: fovea resolve NODE, for each of them", fresh)
				}
				t.daemon.opts.Feed.Notify(api.Notice{Event: kind, Data: map[string][]string{"paths": append([]string{}, paths...)}})
			}
		}
		if !wait(ctx, noticeInterval) {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-l.nudged:
		}
	}
}

// noticed returns the files that are locked down, and those of the memex with conflicts. It omits
// what it cannot read, until the check after the next change.
func noticed(ctx context.Context, m *fovea.Memory, conflict query.Expr) map[string][]string {
	found := map[string][]string{}
	if v, err := m.Guard().View(ctx, nil); err == nil {
		found["lockdown"] = v.Lockdown()
	}
	if nodes, err := m.View().Query(conflict, 0, time.Time{}); err == nil {
		paths := []string{}
		for _, n := range nodes {
			if !document.IsMemory(n.Path) {
				paths = append(paths, n.Path)
			}
		}
		slices.Sort(paths)
		found[conflicts] = slices.Compact(paths)
	}
	return found
}
