// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package scope

import (
	"context"
	"slices"

	"github.com/fovea-memory/fovea/author"
)

// WithFiles returns the memex and its open projects that hold files.
func (s *Scope) WithFiles() []*Scope {
	return append([]*Scope{s.Memex()}, slices.DeleteFunc(s.Open(), func(o *Scope) bool { return !o.HasFiles() })...)
}

// Reached returns those of Scope.WithFiles that the caller of ctx may name.
func Reached(ctx context.Context, s *Scope) []*Scope {
	g := author.GrantOf(ctx)
	return slices.DeleteFunc(s.WithFiles(), func(o *Scope) bool { return !g.Reaches(o.Name) })
}

// Sessions returns the open sessions of the memex.
func (s *Scope) Sessions() []*Scope {
	return slices.DeleteFunc(s.Open(), func(o *Scope) bool { return !o.IsSession() })
}
