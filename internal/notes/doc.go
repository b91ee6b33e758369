// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package notes writes single notes: it edits headlines and documents, adds, moves, archives
// and forgets notes, and gives them ids.
//
// [Notes] belongs to one scope. Each of its commands reads the file first, applies the change
// to its text or to its tree, and writes both in one step. [Notes.Remember] batches concurrent
// notes: the file is rewritten once, and each note gets a commit of its own.
//
// Invariants:
//   - An edit changes only the lines that it is about, and only if the node is still the one
//     that its caller read; otherwise it fails with a conflict that holds both texts.
//   - Nothing in the text of an agent acts in Emacs or Org: no code, no macro, no link that runs.
//   - An agent does not bring back what another author has forgotten.
//
// Elsewhere: edits as splices of Org are package org; changing files is internal/write; taking
// back what was written is internal/travel.
package notes
