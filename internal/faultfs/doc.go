// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package faultfs is a file system in memory that crashes and fails on purpose,
// for tests of code that reads and writes through package vfs.
//
// An [FS] counts its operations; a hook set by [FS.OnOp] sees each before it
// happens and may refuse it. [FS.Crash] returns what a machine could find after
// losing power at that moment, [FS.Clone] what another process finds now.
//
// Invariants:
//
//   - What a crash keeps depends on the operations and the seed alone.
//   - Only Sync and SyncData make the content of a file durable, only SyncDir
//     the names in a folder: the sync of a new file does not save its name. Real
//     file systems keep more; code that holds here holds there.
//   - What is not durable is kept or lost write by write and, within a write,
//     sector by sector; names are kept or lost change by change, in any
//     combination. A rename is never half done.
//   - After a sync that failed, what it should have saved can be read and is
//     never saved by a later sync, as on Linux.
//   - There are hard links, and no symbolic ones.
//
// Elsewhere: the interface, and the real file system behind it (package vfs).
package faultfs
