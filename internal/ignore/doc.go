// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package ignore matches paths against patterns in the syntax of gitignore(5).
//
// [Parse] parses the lines of a file into [Rules]; [Rules.Match] reports
// whether a path is ignored. The files .foveaignore and the policies for
// protected files use this syntax.
//
// Invariants:
//
//   - The result is that of Git for the same patterns, except for the two forms in
//     which Git departs from its own manual; the decision record on gitignore
//     lists them.
//   - Matching works on bytes, not characters.
//   - Matching a pattern takes at most O(pattern x path), so no line can make it
//     hang.
//
// Elsewhere: which files hold patterns, and what a match means.
package ignore
