// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package vfs is the one door to files: everything that reads or writes a
// file does it through an [FS], so that a test can replace it.
//
// [Dir] opens a folder of the operating system, [CreateDir] creates it first.
// [Plain] opens only regular files, [Glance] sees a folder from outside.
// [File] is an open file. [WriteAtomic] replaces a file so that a crash leaves
// the old content or the new one, [Stage] does it in two steps, [TryLock] and [LockFile] make one process
// the owner of a folder.
//
// Invariants:
//
//   - Names are slash-separated and relative to the folder. No name leaves it,
//     neither by ".." nor by a link: it is an [os.Root].
//   - What Sync and SyncDir have not confirmed may be gone after a crash, in
//     any part and any order. No caller relies on more.
//   - A temporary file has a name for which IsTemp holds, which distinguishes the
//     leftovers of a crash from a person's files.
//
// Elsewhere: an FS that crashes and fails on purpose (package faultfs), and
// which files make up a memex (package corpus).
package vfs
