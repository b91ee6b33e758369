// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/merkle"
)

// Commit is one durable step of the history, as the log shows it.
type Commit = chain.Commit

// rewrite takes blocks out of history by a commit that says so.
func (m *Memory) rewrite(ctx context.Context, key, kind, message string, drop map[merkle.Digest]bool) (Commit, error) {
	return m.chain.Writer().Rewrite(context.WithoutCancel(ctx), m.entry(ctx, key, kind, message, m.opts.Now().UnixMilli()), drop)
}

// present returns the newest state.
func (m *Memory) present() *graph.State { return m.chain.Head().State }

// goneKind is the kind of error of a look into history.
func goneKind(err error) Kind {
	if errors.Is(err, graph.ErrGone) {
		return NotFound
	}
	return Corrupt
}

// goneDocuments lists the documents of a state that lack content, sorted.
func goneDocuments(s *graph.State) []string {
	var paths []string
	for _, n := range s.Gone() {
		paths = append(paths, n.Path)
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// count puts a number before a noun.
func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
