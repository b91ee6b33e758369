// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/node"
)

// HeaderProject names the project of a request, as HeaderSession its session.
const HeaderProject = "Fovea-Project"

// Scopes say what lies over the memex for an operation: a project, and over it a
// session. Reads see all of it; what is about a history, such as log, snapshot,
// rollback and any look at an earlier moment, is about the narrowest scope named.
type Scopes struct {
	Project string // the NAME of project/NAME, "" for none
	Session string // the ID of session/ID, "" for none
}

// WithScopes makes operations under the context see these scopes; what is "" stays
// as LocalOptions say.
func WithScopes(ctx context.Context, s Scopes) context.Context {
	return with(ctx, s)
}

// ScopesOf returns what WithScopes has set.
func ScopesOf(ctx context.Context) Scopes {
	return of[Scopes](ctx)
}

// What the names of scopes begin with.
const (
	kindProject = "project/"
	kindSession = "session/"
)

// names lists the scopes, the narrowest last.
func (s Scopes) names() []string {
	var names []string
	if s.Project != "" {
		names = append(names, kindProject+s.Project)
	}
	if s.Session != "" {
		names = append(names, kindSession+s.Session)
	}
	return names
}

// reaches reports whether the grant is for a scope. Every grant is for the memex.
func (g *Grant) reaches(scope string) bool {
	kind, _, named := strings.Cut(scope, "/")
	return g.Scopes == nil || !named || slices.Contains(g.Scopes, scope) || slices.Contains(g.Scopes, kind+"/*")
}

// narrow are the operations that are about the history of one scope.
var narrow = []string{"log", "diff", "snapshot", "snapshots", "rollback", "revert", "merge", "checkpoint", "restore", "head", "repair", "retain", "purge", "status"}

// aboutOne reports whether an operation is about one scope: about its history, or
// about an earlier moment of it.
func aboutOne(op *Operation, req any) bool {
	at := ""
	switch r := req.(type) {
	case ShowRequest:
		at = r.At
	case QueryRequest:
		at = r.At
	case SearchRequest:
		at = r.At
	case ContextRequest:
		at = r.At
	}
	return at != "" || slices.Contains(narrow, op.Name)
}

// scopes are those of a request. What it does not name is of the options, unless the
// caller's grant is not for that.
func (l *local) scopes(ctx context.Context) Scopes {
	named, g := ScopesOf(ctx), GrantOf(ctx)
	if named.Project == "" && g.reaches(kindProject+l.opts.Project) {
		named.Project = l.opts.Project
	}
	if named.Session == "" && g.reaches(kindSession+l.opts.Session) {
		named.Session = l.opts.Session
	}
	return named
}

// scoped is a Service that carries each operation out on the scopes it names.
func (l *local) scoped() Service {
	return Through(func(ctx context.Context, op *Operation, req any) (any, error) {
		scopes := l.scopes(ctx).names()
		on := *l
		on.over = scopes
		if len(scopes) > 0 && aboutOne(op, req) {
			m, err := l.narrowest(ctx, scopes)
			if err != nil {
				return nil, err
			}
			on.m = m
		}
		answer, err := op.Pass(ctx, &on, req)
		if err == nil && slices.Contains([]string{"repair", "retain", "purge"}, op.Name) {
			on.warnOthers(ctx, op)
		}
		if len(scopes) > 0 && err == nil {
			on.warnScopes(ctx, scopes)
		}
		return answer, err
	})
}

// warnScopes tells who named scopes that one of them takes no writes: its history may be
// damaged or missing, and then the answer lacks what it held.
func (l *local) warnScopes(ctx context.Context, scopes []string) {
	if err := l.memex.ScopesWritable(scopes...); err != nil {
		l.warn(ctx, fmt.Errorf("%w; see fovea verify", err))
	}
}

// warnOthers names the scopes that an operation which mends a history was not about.
func (l *local) warnOthers(ctx context.Context, op *Operation) {
	others, err := l.memex.Scopes()
	about := l.m.Status().Scope
	if about != "memex" {
		others = append([]string{"memex"}, others...)
	}
	others = slices.DeleteFunc(others, func(name string) bool { return name == about })
	if err == nil && len(others) > 0 {
		l.warn(ctx, fmt.Errorf("%s was about %s alone, not about %s", op.Name, about, strings.Join(others, ", ")))
	}
}

// narrowest returns the memory of the last of the scopes that there is: a session
// is one only since something was ingested into it.
func (l *local) narrowest(ctx context.Context, scopes []string) (*fovea.Memory, error) {
	if _, err := l.memex.Over(ctx, scopes...); err != nil { // names that cannot be
		return nil, err
	}
	there, err := l.memex.Scopes()
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Backward(scopes) {
		if slices.Contains(there, name) {
			return l.memex.Scope(ctx, name)
		}
	}
	return l.memex, nil
}

// holding returns the service over the memory that holds a node of a view.
func (l *local) holding(ctx context.Context, v *fovea.View, n *node.Node) (*local, error) {
	return l.in(ctx, v.Scope(n))
}

// in returns the service over the memory of a scope.
func (l *local) in(ctx context.Context, scope string) (*local, error) {
	m, err := l.memex.Scope(ctx, scope)
	on := *l
	on.m = m
	return &on, err
}
