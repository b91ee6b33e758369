// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package minds keeps what agents hold, were shown, did and found useful, in sessions.
//
// [Blocks] is the working memory of each agent: every block is a document of the session that only
// its agent sees; [Files] reads the files that blocks name. [Windows] records the windows that
// agents were given and renders them again, and what agents did. [Feedback] keeps what the owner
// and agents say about the notes that they were shown. [Sessions] keeps what each session was shown,
// so that it is not told twice, and [TokenCounts] what the parts of windows cost.
//
// Invariants:
//   - One call makes one commit, so history has every version, and a revert takes back exactly what
//     the call did. What leaves a session stays in history.
//   - A file is read only below the root, and neither one that is hidden or ignored, nor one in
//     lockdown, nor one that is encrypted or not text. What cannot be read concerns its own block
//     alone.
//   - No text of a note is kept of a window: its instructions copy from the versions in history,
//     and hold the words of Fovea and pieces of up to three bytes. A rendered text that is marked
//     exact has the digest of the text that was given.
//   - The queue of windows is bounded; one that does not fit waits for the commit of the others. A
//     session keeps the newest windows, and the newest automatic blocks of each agent. An automatic
//     block replaces no block that its agent made.
//   - An entry of feedback has the digest of its question, and ids and numbers of nodes, no text.
//     What it teaches depends on the present entries alone; those of an agent are bounded by the
//     day and in all.
//
// Elsewhere: what a block is, and ids and paths of documents, is package working; what a window
// shows is package window; ranking is internal/recall; who may ask is package api.
package minds
