// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package guard says which files are protected, and whether they are as their
// owner left them.
//
// A [Policy] gives each path a [Mode]. A [Baseline] is what a protected file held
// when it was last trusted: the digests of the file, of each headline and of each
// src block in it. [Judge] compares the two with what is there now; [Diff] says
// headline by headline and block by block what became of a file. A [Book] is all
// that is known of the protected files of a memex, and [Alert] what its owner is
// told when one of them changed.
//
// Invariants:
//
//   - Times and sizes count for nothing: bytes are compared, by SHA-256.
//   - What was never trusted is as good as changed.
//   - The mode of a path is a function of the policy and the path alone.
//   - A Book is immutable; what changes it makes another one.
//
// Elsewhere: reading files, keeping the book, and refusing readers (the root
// package); sending alerts.
package guard
