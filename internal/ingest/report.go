// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package ingest

import (
	"slices"
	"sync"
	"time"

	"github.com/fovea-memory/fovea/internal/corpus"
	"github.com/fovea-memory/fovea/internal/view"
)

// Report holds the writer's data outside the chain, for Status.
type Report struct {
	Problems []corpus.Problem
	Missing  []string // read-only
	table    *corpus.Table
}

// ReportOf returns the report of a reader. It does not wait for writers.
func ReportOf(r *Reader) *Report { return r.published.Load() }

// publish publishes the report. The caller is the chain's writer.
func (r *Reader) publish() {
	r.published.Store(&Report{r.problems, r.missing, r.table})
}

// Synced returns when a document of a view and its file were last known to agree: when the
// file was read, or written through Fovea. For a past view, or if that time is no longer
// known, it returns when the document last changed. The result is zero if the document does
// not exist. O(nodes of the document).
func (r *Reader) Synced(v *view.View, path string) time.Time {
	latest := time.Time{}
	later := func(t time.Time) {
		if t.After(latest) {
			latest = t
		}
	}
	for n := range v.Document(path) {
		later(time.UnixMilli(n.Modified).UTC())
	}
	if t := r.published.Load(); t.table != nil && v.Head().Seq == r.scope.Chain.Head().Commit.Seq {
		if e, ok := t.table.Get(path); ok {
			later(time.Unix(0, e.Scanned).UTC().Truncate(time.Millisecond))
		}
	}
	return latest
}

// Missing returns, sorted, the files that the last scan did not find but whose documents
// remain in memory. It does not wait for writers. The caller must not change the slice.
func (r *Reader) Missing() []string { return r.published.Load().Missing }

// Removals returns, sorted, the files that scans found removed since its last call, and
// the number of the newest commit that has them. It returns each file once, so that the
// user can be notified of accidental removals. Renamed files are not included. It does not
// wait for writers.
func (r *Reader) Removals() (paths []string, before uint64) { return r.removals.drain() }

// removals are the removed files that were not yet reported.
type removals struct {
	mu     sync.Mutex
	paths  []string
	before uint64 // the commit that still had all of them
}

func (r *removals) add(paths []string, before uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.paths) == 0 {
		r.before = before
	}
	r.paths = append(r.paths, paths...)
}

func (r *removals) drain() ([]string, uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	paths := r.paths
	r.paths = nil
	slices.Sort(paths)
	return slices.Compact(paths), r.before
}

// ClearMissing removes written files, sorted, from the missing ones. The caller is the
// chain's writer.
func ClearMissing(r *Reader, written []string) {
	left := slices.DeleteFunc(slices.Clone(r.missing), func(path string) bool {
		_, is := slices.BinarySearch(written, path)
		return is
	})
	if len(left) < len(r.missing) {
		r.missing = left
		r.publish()
	}
}
