// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package corpus

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Scan is what a memex holds at one moment, compared with an earlier one. The
// slices belong to the caller.
type Scan struct {
	// Files are the files of the memex by path, those below an unreadable
	// folder as the table has them.
	Files []File
	// Changed are those of Files that must be read: new ones, ones whose stat
	// differs from their entry, and ones that had just changed when their entry
	// was taken. Their bytes may still be the same: the digest decides.
	Changed []File
	// Gone are the paths of the table that are no files of the memex any more:
	// deleted, renamed, left out by an ignore file, or replaced by something
	// that is a problem.
	Gone []string
	// Problems are what was passed over, by path.
	Problems []Problem

	now int64
}

// Scan lists the memex and compares it with prev, which may be nil. It is
// called at the time now. It returns an error when the root cannot be listed or
// ctx is done; everything else that is wrong is in Problems. A memex without
// files is no error. O(folders + files), and reads no file but ignore files.
func (r *Root) Scan(ctx context.Context, prev *Table, now time.Time) (Scan, error) {
	r.written.clear()
	w := &walk{root: r, ctx: ctx, prev: prev, folders: map[string]bool{}}
	if err := w.run(); err != nil {
		return Scan{}, fmt.Errorf("corpus: scan %s: %w", r.absPaths[0], err)
	}
	r.links.update(r, w.targets)
	slices.SortFunc(w.files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	slices.SortStableFunc(w.problems, func(a, b Problem) int { return strings.Compare(a.Path, b.Path) })
	s := Scan{Files: w.files, Problems: w.problems, now: now.UnixNano()}
	s.compare(prev, w.retained)
	return s, nil
}

// compare fills Changed and Gone. Both lists are in the order of the paths.
func (s *Scan) compare(prev *Table, retained map[string]bool) {
	var entries []Entry
	if prev != nil {
		entries = prev.entries
	}
	for _, f := range s.Files {
		for len(entries) > 0 && entries[0].Path < f.Path {
			s.Gone = append(s.Gone, entries[0].Path)
			entries = entries[1:]
		}
		known := len(entries) > 0 && entries[0].Path == f.Path
		if !known || !entries[0].unchanged(f) && !retained[f.Path] {
			s.Changed = append(s.Changed, f)
		}
		if known {
			entries = entries[1:]
		}
	}
	for _, e := range entries {
		s.Gone = append(s.Gone, e.Path)
	}
}

// Table returns the table for the next scan: the files that did not have to be
// read with their entries of prev, which is the table of this scan, and those
// of read, as [Read] returned them, with the digests of what was read. Of read,
// Scanned is set here. A changed file that is not in read has no entry, so that
// the next scan names it again. O(n log n).
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
