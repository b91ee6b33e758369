// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package ignore matches paths with patterns in the syntax of gitignore(5).
//
// [Parse] reads the lines of a file into [Rules]; [Rules.Match] says what they
// make of a path. .foveaignore files and the policies over protected files are
// written so.
//
// Invariants:
//
//   - The answer is that of Git on the same patterns; the decision record on
//     gitignore lists the two forms where Git departs from its own manual.
//   - Bytes count, not characters.
//   - No pattern takes more than O(pattern x path): a hostile line hangs nothing.
//
// Not here: which files the patterns are read from, and what a match means.
package ignore
