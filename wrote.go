// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import "slices"

// Wrote reports whether files that came to their names, given by their paths below
// the memex without links, are all as the memory itself has put them there: then
// Ingest would find nothing in them that the memory does not hold, or is about to.
// It says false where it cannot tell. It waits for nobody who writes to files, and
// costs a stat for each path.
func (m *Memory) Wrote(paths []string) bool {
	for _, s := range m.sessions() {
		if s.overFiles() {
			return false // what lies over a file ends when the file changes
		}
	}
	holders := m.withFiles()
	for _, path := range paths {
		i := slices.IndexFunc(holders, func(s *Memory) bool { return s.root.InRegion(path) })
		if i < 0 || !holders[i].wrote(path) {
			return false
		}
		for j, s := range holders {
			if j != i && s.View().state.Asked(path) {
				return false // what it holds of that setup file is its own
			}
		}
	}
	return true
}

// wrote is Wrote for a path of one scope.
func (m *Memory) wrote(path string) bool {
	defer m.chain.Reading()()
	doc, ok := m.View().state.Document(path)
	return ok && len(doc.Derived.Setup) == 0 && // setup files may lie where no scan has looked
		m.root.Wrote(path) && m.chain.Store().Err() == nil
}

// overFiles reports whether a session holds buffers of files.
func (m *Memory) overFiles() bool {
	defer m.chain.Begin().End()
	return len(m.drift()) > 0
}
