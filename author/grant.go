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
	// RoleKeeper is an agent that keeps files in its folder by a program of Fovea: its text
	// is checked as every agent's, but refused and not changed where it would act, and
	// it forgets anything in its folder, whoever wrote it.
	RoleKeeper Role = "keeper"
)

// Grant names a caller and what that caller may do.
type Grant struct {
	// Agent is the name of an agent, see Check. With RoleOwner "" is the person; a name is
	// the person's own hand in the name of that agent, who may write everywhere but in
	// protected files, and whose text is checked as every agent's.
	Agent string
	Role  Role
	// Paths are files and folders (with a slash at the end) below the memex that
	// an agent may write besides its own.
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

// Actor returns the holder of the grant. An agent has no rights by that alone, unless the
// owner writes in its name.
func (g *Grant) Actor() Actor {
	a := Actor{Author: g.Author(), Vouched: g.Vouched}
	if g.Role == RoleOwner && g.Agent != "" {
		a.May, a.Renames = func(string) error { return nil }, true
	}
	return a
}

// Author returns the author of the commits of the grant's holder. A holder with another
// role than owner is an agent, also without a name.
func (g *Grant) Author() Author {
	if g.Role == RoleOwner && g.Agent == "" {
		return Author{Kind: Owner}
	}
	return Named(g.Agent)
}

// Holder returns a text that is the same for grants that allow the same to the same caller,
// and differs for any others. It is the key of a caller's stored data.
func (g Grant) Holder() string {
	text, err := json.Marshal(g)
	if err != nil {
		panic("author: a grant is plain data: " + err.Error())
	}
	return string(text)
}

// Reaches reports whether the grant is for a scope. Every grant is for the memex.
func (g *Grant) Reaches(scope string) bool {
	kind, _, named := strings.Cut(scope, "/")
	return g.Scopes == nil || !named || slices.Contains(g.Scopes, scope) || slices.Contains(g.Scopes, kind+"/*")
}

// Scopes are laid over the memex for an operation: a project, and over it a session. Reads
// see all of it; an operation on a history, such as log, snapshot, rollback and any look at
// an earlier moment, is about the narrowest scope named.
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
