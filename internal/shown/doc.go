// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package shown records what the windows of a session have shown, so that the next one
// leaves it out.
//
// A [Record] has a [Node] for each node shown, with fingerprints of its heading and of its
// passages: enough to know text again, not to read it. Only a session whose windows append
// to one another has their text.
//
// Invariants:
//
//   - The encoding of a record depends only on the record. Any other bytes are an error.
//   - Fingerprints are the same in every process.
//
// Elsewhere: package window decides what is left out; package fovea keeps the records.
package shown
