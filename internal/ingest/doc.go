// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package ingest brings what is in a folder into the memory of a scope: files that a scan found
// new, changed or gone, and trees that belong to no file.
//
// A [Reader] belongs to one scope. [Run] reads its folder; [Refresh] reads one file before an
// edit of it; [RunTree] takes in a tree. [Report] is what the last scan found.
//
// A [Guard] keeps a protected file that was changed from outside away from readers until its owner
// has decided. [Guard.View] returns a view without the files in lockdown, and alerts the owner once
// for each change; [Guard.Diff] shows a change; [Guard.Adopt] and [Guard.Reject] record the decision.
//
// Invariants:
//   - A commit of an ingest holds whole documents. A crash between two of them loses nothing:
//     the next scan reads the rest.
//   - A file that cannot be read is a problem of the report and keeps its nodes.
//   - A scan that misses more than half of at least 20 documents drops none of them, unless its
//     caller accepts the deletions.
//   - Each view for anybody but the owner compares the bytes of every protected file; times and sizes
//     prove nothing. Only the owner sees a file in lockdown. A rejected text stays in history.
//
// Elsewhere: which files belong to a memex is internal/corpus; parsing is node; changing files
// is internal/write; policies and verdicts are internal/guard.
package ingest
