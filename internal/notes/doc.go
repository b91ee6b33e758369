// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package notes writes single notes: it edits headlines and documents, adds, moves, archives
// and forgets notes, and gives them ids.
//
// [Notes] belongs to one scope. Each of its commands reads the file first, applies the change
// to its text or to its tree, and writes both in one step. [Notes.Remember] batches concurrent
// notes: the file is rewritten once, and each note gets a commit of its own.
//
// Invariants:
//   - An edit changes only the lines that it must, and only if the node has not changed since its
//     caller read it; otherwise it fails with a conflict that holds both texts.
//   - The text of an agent is inert in Emacs and Org: no code, no macro, no link that runs.
//   - An agent cannot restore a note that another author has forgotten.
//
// Elsewhere: package org turns edits into splices of Org; internal/write changes files;
// internal/travel reverts changes.
package notes
