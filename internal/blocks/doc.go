// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package blocks keeps the working memory of each agent in the history of a session.
//
// [Blocks] adds, changes and removes blocks: each is a document of the session that only
// its agent sees. [Files] reads the files that blocks name.
//
// Invariants:
//
//   - One call makes one commit, so history has every version, and a revert of the commit
//     takes back exactly what the call did.
//   - A block leaves working memory when it is removed, or by a sweep; history keeps it.
//   - A file is read only below the root, and neither one that is hidden or ignored, nor
//     one in lockdown, nor one that is encrypted or not text.
//   - What cannot be read concerns its own block alone.
//
// Elsewhere: what a block is (package working), which blocks a window shows (package
// window), which agent sees what (package fovea).
package blocks
