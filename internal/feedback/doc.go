// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package feedback keeps what the owner and agents say about the notes that they were shown, and
// returns what that teaches.
//
// An [Entry] is what one of them said about one question. [Log] keeps the newest entries of a
// memex as documents of a session of their own, [Session], so that each can be undone, and found
// in history, like any other change. [Log.Model] returns what they teach, see package internal/learn.
//
// Invariants:
//
//   - No text is kept: an entry has the digest of its question, and ids and numbers of nodes.
//   - The model depends on the present entries alone. An entry that is taken back leaves
//     nothing behind.
//   - At most MaxOfDay entries of an agent are kept for each day, and at most MaxOfAgent of its
//     entries teach.
//
// Elsewhere: what was shown to whom (package internal/windowlog), who may say what (package
// api/feedback), ranking (package internal/recall).
package feedback
