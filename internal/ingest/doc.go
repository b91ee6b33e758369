// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package ingest brings the content of a folder into the memory of a scope: files that a scan found
// new, changed or removed, and trees that belong to no file.
//
// A [Reader] belongs to one scope. [Run] reads its folder; [Reader.Refresh] reads one file before an
// edit of it; [RunTree] ingests a tree. [Report] has the results of the last scan.
//
// A [Guard] withholds a protected file that was changed from outside from readers until its owner
// has decided. [Guard.View] returns a view without the files in lockdown, and alerts the owner once
// for each change; [Guard.Diff] shows a change; [Guard.Adopt] and [Guard.Reject] record the decision.
//
// Invariants:
//   - A commit of an ingest holds whole documents. A crash between two of them loses nothing:
//     the next scan reads the rest.
//   - A file that cannot be read is a problem of the report and keeps its nodes.
//   - A scan that misses more than half of at least 20 documents drops none of them, unless its
//     caller accepts the deletions.
//   - Each view for a caller other than the owner compares the bytes of every protected file, not
//     times or sizes. Only the owner sees a file in lockdown. A rejected text stays in history.
//
// Elsewhere: internal/corpus decides which files belong to a memex; node parses; internal/write
// changes files; internal/guard has policies and verdicts.
package ingest
