// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package guard decides which files are protected and whether they still have the
// content that their owner trusts.
//
// A [Policy] maps each path to a [Mode]. A [Baseline] records the trusted content of a
// protected file: the digests of the file and of each headline and src block in it.
// [Compare] compares a file with its baseline; [Diff] lists the changed headlines and
// blocks. A [Book] holds the baselines of a memex, and an [Alert] notifies the owner of
// a change.
//
// Invariants:
//
//   - Bytes are compared, by SHA-256; times and sizes are ignored.
//   - A file that was never trusted is treated as changed.
//   - The mode of a path depends only on the policy and the path.
//   - A Book is immutable; each change returns a new one.
//
// Elsewhere: internal/ingest reads the files and withholds them from readers; internal/scope
// stores the book; internal/daemon sends alerts.
package guard
