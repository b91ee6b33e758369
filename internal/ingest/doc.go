// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package ingest brings what is in a folder into the memory of a scope: files that a scan found
// new, changed or gone, and trees that belong to no file.
//
// A [Reader] belongs to one scope. [Run] reads its folder; [Refresh] reads one file before an
// edit of it; [RunTree] takes in a tree. [Report] is what the last scan found.
//
// Invariants:
//   - A commit of an ingest holds whole documents. A crash between two of them loses nothing:
//     the next scan reads the rest.
//   - A file that cannot be read is a problem of the report and keeps its nodes.
//   - A scan that misses more than half of at least 20 documents drops none of them, unless its
//     caller accepts the deletions.
//
// Elsewhere: which files belong to a memex is internal/corpus; parsing is node; changing files
// is internal/write.
package ingest
