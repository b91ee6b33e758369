// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package ingest

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/corpus"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/graph"
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
// the number of the newest commit that has them. It returns each file once, for notifying
// the user of accidental removals. Renamed files are not included. It does not wait for
// writers.
func (r *Reader) Removals() (paths []string, before uint64) {
	r.removals.mu.Lock()
	defer r.removals.mu.Unlock()
	paths, r.removals.paths = r.removals.paths, nil
	slices.Sort(paths)
	return slices.Compact(paths), r.removals.before
}

// removals are the removed files that Removals has not returned yet.
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

// ClearMissing removes written files, given sorted, from the missing ones. The caller is the
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

// Diagnostics lists problems by path and line: duplicate ids, malformed drawers,
// unreadable setup files, broken links. It does not check targets outside the folder,
// except ids that Options.ElsewhereID knows. It writes nothing. Errors: Other (ctx is
// done). O(links and linked files), plus parsing, on all processors, of the documents that
// changed since the last call; the first call parses every document.
func (r *Reader) Diagnostics(ctx context.Context) ([]document.Problem, error) {
	if err := ctx.Err(); err != nil {
		return nil, fault.Wrap("diagnostics", r.scope.Dir, fault.Other, err)
	}
	v := r.scope.View()
	var out []document.Problem
	for _, problems := range view.ProblemsOf(v).All() {
		out = append(out, problems...)
	}
	around := graph.LinkTargets{Exists: once(r.scope.Root.Exists), Known: r.scope.Options.ElsewhereID}
	for p := range v.BrokenLinks(ctx, around) {
		out = append(out, p)
	}
	slices.SortStableFunc(out, func(a, b document.Problem) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line))
	})
	return out, fault.Wrap("diagnostics", r.scope.Dir, fault.Other, ctx.Err())
}

// once returns a function that caches the results of ask. It is not safe for concurrent use.
func once(ask func(string) bool) func(string) bool {
	answers := map[string]bool{}
	return func(q string) bool {
		a, known := answers[q]
		if !known {
			a = ask(q)
			answers[q] = a
		}
		return a
	}
}
