// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package feedback keeps what the owner and agents say of the notes that they were shown, and
// returns what it teaches.
//
// An [Entry] is what one of them said about one question. [Log] keeps the newest entries of a
// memex as documents of a session of their own, [Session], so that each is undone, and found in
// history, like any other change. [Log.Model] is what they teach, see package internal/learn.
//
// Invariants:
//
//   - No text is kept: an entry has the digest of its question, and ids and numbers of nodes.
//   - The model depends on the present entries alone. An entry that is taken back leaves
//     nothing behind.
//   - Of an agent at most MaxOfDay entries of a day are kept, and of its entries at most MaxOfAgent
//     teach.
//
// Elsewhere: what was shown to whom (package internal/windowlog), who may say what (package
// api/feedback), ranking (package internal/recall).
package feedback
