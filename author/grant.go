// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package author

import (
	"encoding/json"
	"slices"
	"strings"
)

// Role is a caller's relation to a memex.
type Role string

// The roles. Any other role may do nothing.
const (
	RoleOwner  Role = "owner"  // the person: everything
	RoleAgent  Role = "agent"  // reads all, writes its own files
	RoleReader Role = "reader" // reads all
	// RoleKeeper is an agent that keeps files in its folder through a program of Fovea. Its
	// text is checked like that of every agent, but text that would act is rejected instead
	// of changed. It may forget anything in its folder, no matter who wrote it.
	RoleKeeper Role = "keeper"
)

// Grant names a caller and what that caller may do.
type Grant struct {
	// Agent is the name of an agent, see Check. With RoleOwner, "" is the person; a name means
	// that the person writes in the name of that agent, who may then write everywhere except
	// in protected files, and whose text is checked like that of every agent.
	Agent string
	Role  Role
	// Paths are files and folders (with a slash at the end) below the memex that
	// an agent may write in addition to its own.
	Paths []string
	// Review are files and folders in which a change of the agent becomes a proposal to the
	// owner; "/" is everything that it writes.
	Review []string
	// Operations are the ones that an agent may use on anything that is not
	// protected, by name.
	Operations []string
	// Scopes are the projects and sessions that a request may name, such as
	// project/river or session/*; nil is any.
	Scopes []string
	// Vouched is set if a token proves the caller; otherwise the caller asserts it.
	Vouched bool
}

// Actor returns the holder of the grant. It has no right to change files if it is an agent,
// unless the owner writes in its name.
func (g *Grant) Actor() Actor {
	a := Actor{Author: g.Author(), Vouched: g.Vouched}
	if g.Role == RoleOwner && g.Agent != "" {
		a.May, a.Renames = func(string) error { return nil }, true
	}
	return a
}

// Author returns the author of the commits of the grant's holder. A holder with any role
// but owner is an agent, even without a name.
func (g *Grant) Author() Author {
	if g.Role == RoleOwner && g.Agent == "" {
		return Author{Kind: Owner}
	}
	return Named(g.Agent)
}

// Holder returns a text that is equal exactly for grants that allow the same to the same
// caller. It is the key of a caller's stored data.
func (g Grant) Holder() string {
	text, err := json.Marshal(g)
	if err != nil {
		panic("author: a grant is plain data: " + err.Error())
	}
	return string(text)
}

// Reaches reports whether the grant covers a scope. Every grant covers the memex.
func (g *Grant) Reaches(scope string) bool {
	kind, _, named := strings.Cut(scope, "/")
	return g.Scopes == nil || !named || slices.Contains(g.Scopes, scope) || slices.Contains(g.Scopes, kind+"/*")
}

// Scopes are laid over the memex for an operation: a project, and over it a session. Reads
// see all of them; an operation on a history, such as log, snapshot, rollback or a read of an
// earlier moment, applies to the narrowest scope.
type Scopes struct {
	Project string // the NAME of project/NAME, "" for none
	Session string // the ID of session/ID, "" for none
}

// Prefixes of the names of scopes.
const (
	ProjectPrefix = "project/"
	SessionPrefix = "session/"
)

// Names lists the scopes, the narrowest last.
func (s Scopes) Names() []string {
	var names []string
	if s.Project != "" {
		names = append(names, ProjectPrefix+s.Project)
	}
	if s.Session != "" {
		names = append(names, SessionPrefix+s.Session)
	}
	return names
}
