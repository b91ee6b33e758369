// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package corpus

// Table returns the table for the next scan. It contains the entries of prev, the table
// of this scan, for the files that did not change, and the entries in read, made from
// the results of [Root.Read]. Table sets Scanned in the latter. A changed file missing
// from read has no entry, so that the next scan reports it again. O(n log n).
func (s *Scan) Table(prev *Table, read []Entry) *Table {
	changed := make(map[string]bool, len(s.Changed))
	for _, f := range s.Changed {
		changed[f.Path] = true
	}
	entries := make([]Entry, 0, len(s.Files))
	for _, f := range s.Files {
		if e, ok := prev.Get(f.Path); ok && !changed[f.Path] {
			entries = append(entries, e)
		}
	}
	for _, e := range read {
		e.Scanned = s.now
		entries = append(entries, e)
	}
	return NewTable(entries)
}

// EditorLock returns the lock on a file and whether its holder may still be running.
// A lock whose holder is gone is ignored. O(1).
func (r *Root) EditorLock(name string) (EditorLock, bool) {
	real, _, err := r.dir.resolveNew(name)
	if err != nil {
		real = name
	}
	return r.dir.editorLock(name, real)
}
