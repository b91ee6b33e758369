// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package scope

import (
	"context"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/guard"
	"github.com/fovea-memory/fovea/options"
)

// protectedDocs caches the protected documents of a state, valid while no link changes.
type protectedDocs struct {
	state  *graph.State
	linked any // see corpus.Root.Linked
	paths  []string
}

// NewPolicy returns the policy of a memory: the rules of the options, then the default lockdown.
// With a skills folder outside the memex, the default one inside is still protected.
func NewPolicy(o *options.Open, skills string) (*guard.Policy, error) {
	if skills == "" {
		skills = DefaultSkills
	}
	return guard.NewPolicy(o.Guard, []string{"/agents/*/ROM*", "/" + literal(skills) + "/"})
}

// literal returns a pattern that matches only a path.
func literal(path string) string {
	var b strings.Builder
	for _, c := range []byte(path) {
		if strings.IndexByte(`\*?[ `, c) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(c)
	}
	return b.String()
}

// ProtectedPaths lists the protected documents of a state. It updates the cached list of the
// previous state by their difference.
func (r *Rules) ProtectedPaths(state *graph.State) []string {
	was, now := r.watched.Load(), &protectedDocs{state: state, linked: r.scope.Root.Linked()}
	switch {
	case was == nil, was.linked != now.linked:
		for _, path := range state.Paths() {
			if r.Protected(path) {
				now.paths = append(now.paths, path)
			}
		}
	case was.state == state:
		return was.paths
	default:
		now.paths = slices.Clone(was.paths)
		for _, path := range graph.Diff(was.state, state).Paths {
			if !r.Protected(path) {
				continue
			}
			now.paths = slices.DeleteFunc(now.paths, func(p string) bool { return p == path })
			if _, has := state.Document(path); has {
				now.paths = append(now.paths, path)
			}
		}
	}
	r.watched.Store(now)
	return now.paths
}

// ByOwner reports whether the actor is the owner, who may see files in lockdown and decide about
// them.
func (r *Rules) ByOwner(ctx context.Context) bool {
	return r.scope.Actor(ctx).Author == Owner
}
