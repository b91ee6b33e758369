// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/merkle"
)

// block fetches a block of the history. One that was left out on purpose is
// graph.ErrGone, so that states can go on without it.
func (m *Memory) block(d merkle.Digest) ([]byte, error) {
	b, err := m.store.Block(d)
	if errors.Is(err, store.ErrPurged) {
		return nil, fmt.Errorf("%w: %w", graph.ErrGone, err)
	}
	return b, err
}

// whole returns an error that says which commits took content of a moment away,
// nil when all of it is there.
func (m *Memory) whole(ctx context.Context, v *View) error {
	gone := v.state.Gone()
	if len(gone) == 0 {
		return nil
	}
	by := map[uint64]bool{}
	for _, n := range gone {
		if _, err := m.store.Block(n.Own); err != nil {
			if p, ok := errors.AsType[*store.Purged](err); ok {
				by[p.By] = true
			}
		}
	}
	var told []string
	for _, seq := range slices.Sorted(maps.Keys(by)) {
		told = append(told, m.goneBy(ctx, seq))
	}
	return &goneError{fmt.Sprintf("commit %d: %s (%s)", v.commit.Seq, strings.Join(told, ", "), count(len(gone), "node"))}
}

// goneError says that content is no longer kept.
type goneError struct{ why string }

func (e *goneError) Error() string { return e.why }
func (e *goneError) Unwrap() error { return graph.ErrGone }

// goneBy says what a commit did to the blocks that are gone.
func (m *Memory) goneBy(ctx context.Context, seq uint64) string {
	word := "lost, as commit %d says"
	_ = m.commits(ctx, seq, seq, func(c *graph.Commit) error { // its number is told in any case
		word = goneWord(c.Kind)
		return nil
	})
	return fmt.Sprintf(word, seq)
}

func goneWord(kind string) string {
	switch kind {
	case graph.KindPurge:
		return "purged by commit %d"
	case graph.KindRetain:
		return "thinned by commit %d"
	}
	return "lost, as commit %d says"
}

// goneKind is the kind of error of a look into history.
func goneKind(err error) Kind {
	if errors.Is(err, graph.ErrGone) {
		return NotFound
	}
	return Corrupt
}

// goneDocuments lists the documents of a state that are not whole, sorted.
func goneDocuments(s *graph.State) []string {
	var paths []string
	for _, n := range s.Gone() {
		paths = append(paths, n.Path)
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// count says how many there are of something.
func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
