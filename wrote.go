// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import "slices"

// Wrote reports whether the memory itself wrote all of the files at paths, given below the
// memex without links, so that Ingest would find nothing that the memory does not hold or is
// about to. If in doubt it returns false. It does not wait for file writes, and costs a stat
// per path.
func (m *Memory) Wrote(paths []string) bool {
	for _, s := range m.sessions() {
		if s.overFiles() {
			return false // a change of a file ends the buffer over it
		}
	}
	holders := m.withFiles()
	for _, path := range paths {
		i := slices.IndexFunc(holders, func(s *Memory) bool { return s.root.InRegion(path) })
		if i < 0 || !holders[i].wrote(path) {
			return false
		}
		for j, s := range holders {
			if j != i && s.present().Asked(path) {
				return false // it has its own copy of that setup file
			}
		}
	}
	return true
}

// wrote is Wrote for one path of one scope.
func (m *Memory) wrote(path string) bool {
	defer m.chain.Reading()()
	doc, ok := m.present().Document(path)
	return ok && len(doc.Derived.Setup) == 0 && // setup files may be outside the scanned folders
		m.root.Wrote(path) && m.chain.Store().Err() == nil
}

// overFiles reports whether a session holds buffers of files.
func (m *Memory) overFiles() bool {
	defer m.chain.Begin().End()
	return len(m.drift()) > 0
}
