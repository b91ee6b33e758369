// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package ingest

import (
	"slices"

	"github.com/fovea-memory/fovea/internal/scope"
)

// Wrote reports whether the memory itself wrote all of the files at paths, given below the
// memex without links, so that Ingest would find nothing that the memory does not hold or is
// about to. If in doubt it returns false. It does not wait for file writes, and costs a stat
// per path.
func (r *Reader) Wrote(paths []string) bool {
	if slices.ContainsFunc(r.scope.Sessions(), overFiles) {
		return false // a change of a file ends the buffer over it
	}
	holders := r.scope.WithFiles()
	for _, path := range paths {
		i := slices.IndexFunc(holders, func(s *scope.Scope) bool { return s.Root.InRegion(path) })
		if i < 0 || !wrote(holders[i], path) {
			return false
		}
		for j, s := range holders {
			if j != i && s.Present().Asked(path) {
				return false // it has its own copy of that setup file
			}
		}
	}
	return true
}

// wrote is Wrote for one path of one scope.
func wrote(s *scope.Scope, path string) bool {
	defer s.Chain.Reading()()
	doc, ok := s.Present().Document(path)
	return ok && len(doc.Derived.Setup) == 0 && // setup files may be outside the scanned folders
		s.Root.Wrote(path) && s.Chain.Store().Err() == nil
}

// overFiles reports whether a session holds buffers of files.
func overFiles(s *scope.Scope) bool {
	defer s.Chain.Begin().End()
	return len(s.Drift()) > 0
}
