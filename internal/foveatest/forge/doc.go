// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package forge makes histories that Fovea would not make: well formed and signed, with documents
// of any path and content, by any author, at any time. Tests pass them to everything that reads
// data of other machines.
//
// [Append] adds a commit to the history in a state folder; [Draw] draws its documents, for a memory
// that began as [Start]; [Paths] are forbidden paths, and [Elsewhere] are paths that a memory without
// configuration ignores. [Unlisted] checks the files that were written.
//
// Invariants: appended commits pass verification. They are refused, if at all, for their content.
//
// Elsewhere: the rule that judges paths is corpus.Judge; damage of bytes is internal/faultfs.
package forge
