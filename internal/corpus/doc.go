// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package corpus finds the files of a memex, tells which of them must be read
// again, reads one of them as it stood at one moment, and writes one so that
// nothing that a person wrote meanwhile is lost.
//
// A [Root] is the open folder. [Root.Scan] lists its files against a [Table],
// the listing of an earlier scan with the digest of each file, and returns a
// [Scan]: what is there, what must be read, what is gone, and a [Problem] for
// everything that a person would expect to be there and is not. [Root.Stage]
// begins a [Write], and [EditorLock] is how Emacs says that it holds a file. A
// [Watcher] tells when a scan is due.
//
// A memex is every *.org and *.org_archive (in capitals too) below the root and, opaque (kept,
// hashed and not parsed), *.org.gpg, the other files of the skills folder,
// agents/*/ROM*, and the files that Options name. [Root.Setup] finds one more kind,
// the files that documents name as setup files. Left out are hidden files and
// folders, editors' copies (#x#, x~), and what .foveaignore files say, which
// are written as .gitignore files are and count for the folder they stand in.
//
// Invariants:
//
//   - Only a Write changes a file: one that holds what the write was based on,
//     that no editor holds and that a person has not made read-only.
//   - Nothing outside the root is opened or listed: names go through
//     internal/vfs, which refuses to leave the folder, and a link is followed
//     only after its target was found inside.
//   - A file is listed once. One that only links lead to has the path of the
//     first link in the order of a scan; otherwise it has its own.
//   - A folder is read at most once in a scan, so loops of links end.
//   - A file counts as unchanged only if size, mtime, ctime and inode are those
//     of its entry and both times lie at least [SettleTime] before that entry was
//     taken: a second write within one tick of the clock cannot hide.
//   - What cannot be read is never taken for deleted: files below a folder that
//     cannot be read stay listed as they were last seen.
//   - The order is that of the bytes of the paths; nothing depends on the order
//     in which the file system lists a folder.
//
// Elsewhere: parsing (package org), what makes several writes one operation that
// survives a crash (package fovea), and the configuration that names the skills
// folder (internal/config).
package corpus
