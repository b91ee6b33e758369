// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package scope

import (
	"strings"

	"github.com/fovea-memory/fovea/document"
)

// A scope is a separate memory in a folder of the memex's store, under the memex's lock. It
// has its own journal, chain, snapshots and head.
const (
	Memex   = "memex"
	Project = "project"
	Session = "session"
	Folder  = "scopes"
)

// Memex returns the scope of the memex: s itself, or its parent.
func (s *Scope) Memex() *Scope {
	if s.Parent != nil {
		return s.Parent
	}
	return s
}

// HasFiles reports whether a scope holds files of the folder.
func (s *Scope) HasFiles() bool {
	project, ok := strings.CutPrefix(s.Name, Project+"/")
	_, configured := s.Options.Projects[project]
	return s.Parent == nil || ok && configured
}

// IsSession reports whether this is the memory of a session. Ingesting into a session takes
// no snapshot.
func (s *Scope) IsSession() bool { return strings.HasPrefix(s.Name, Session+"/") }

// IsFile reports whether a document of this memory is a file, rather than a tree or a buffer
// laid over a file.
func (s *Scope) IsFile(path string) bool { return s.HasFiles() && !document.IsMemory(path) }
