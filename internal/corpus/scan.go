// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package corpus

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fovea-memory/fovea/internal/bound"
	"github.com/fovea-memory/fovea/merkle"
)

// Scan is the content of a memex at one moment, compared with an earlier scan. The
// slices belong to the caller.
type Scan struct {
	// Files are the files of the memex, sorted by path. Those below an unreadable
	// folder are as in the table.
	Files []File
	// Changed are the Files that must be read: new files, files whose stat differs from
	// their entry, and files that had just changed when their entry was made. Their
	// bytes may be unchanged; the digest decides.
	Changed []File
	// Gone are the paths in the table that are no longer files of the memex: deleted,
	// renamed, newly ignored, or replaced by something that is a problem.
	Gone []string
	// Problems are the skipped paths, sorted by path.
	Problems []Problem

	now int64
}

// Scan lists the memex at the time now and compares it with prev, which may be nil. It
// returns an error if the root cannot be listed or ctx is done; all else that fails is
// in Problems. A memex may be empty. O(folders + files); only ignore files are read.
func (r *Root) Scan(ctx context.Context, prev *Table, now time.Time) (Scan, error) {
	r.written.clear()
	w := &walk{root: r, ctx: ctx, prev: prev, folders: map[string]bool{}}
	if err := w.run(); err != nil {
		return Scan{}, fmt.Errorf("corpus: scan %s: %w", r.dir.paths[0], err)
	}
	r.links.update(r, w.targets)
	slices.SortFunc(w.files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	slices.SortStableFunc(w.problems, func(a, b Problem) int { return strings.Compare(a.Path, b.Path) })
	s := Scan{Files: w.files, Problems: w.problems, now: now.UnixNano()}
	s.compare(prev, w.retained)
	return s, nil
}

// compare fills Changed and Gone from two lists that are sorted by path.
func (s *Scan) compare(prev *Table, retained map[string]bool) {
	entries := prev.list()
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

// ReadExpected reads each file for which expected returns a digest, and returns the
// entries, in the order of the files, of the files with that digest. The entries have
// the stat at the time of the read; now is the time of the scan. Most files match after
// a first scan of files just written, or after a folder was copied. Files that cannot be
// read or differ are omitted; Read returns the reason. It stops early when ctx is done.
// O(bytes), on all processors; expected is called concurrently.
func (r *Root) ReadExpected(ctx context.Context, files []File, now time.Time, expected func(File) (merkle.Digest, bool)) []Entry {
	found := make([]Entry, len(files))
	bound.Each(len(files), func(i int) {
		if ctx.Err() != nil {
			return
		}
		want, ok := expected(files[i])
		if !ok {
			return
		}
		digest, info, err := r.dir.fileDigest(files[i].Path)
		if err == nil && digest == want {
			r.written.clearUnlessOurs(stampOf(info))
			found[i] = Entry{File: fileOf(files[i].Path, files[i].Opaque, info), Digest: digest}
		}
	})
	matched := found[:0]
	for _, e := range found {
		if e.Path != "" {
			e.Scanned = now.UnixNano()
			matched = append(matched, e)
		}
	}
	return matched
}
