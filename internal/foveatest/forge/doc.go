// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package forge makes histories that no Fovea would make: well formed and signed, with documents
// of any path and any content, by any author, at any time. Tests hand them to everything that
// takes in what another machine wrote.
//
// [Append] adds a commit to the history in a state folder; [Draw] draws documents for it, for a
// memory that began as [Start]; [Paths] are paths that no memex may have, [Elsewhere] are those
// that a memory without configuration has no files of. [Unlisted] judges what was written.
//
// Invariants: what is appended passes verification, and is refused, if at all, for what it says.
//
// Elsewhere: the rule that judges paths is corpus.Judge; damage of bytes is internal/faultfs.
package forge
