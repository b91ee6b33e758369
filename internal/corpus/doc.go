// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package corpus lists the files of a memex, determines which of them must be read
// again, reads a file consistently while others may write to it, and replaces a file
// without losing concurrent changes by the user.
//
// A [Root] is the open folder. [Root.Scan] compares its files with a [Table], the
// listing of an earlier scan with a digest per file, and returns a [Scan]: the files
// present, the files to read, the files that are gone, and a [Problem] for each file
// that the user would expect but that cannot be used. [Root.Stage] prepares a [Write].
// [EditorLock] describes an Emacs lock on a file. A [Watcher] reports when a scan is
// due.
//
// A memex contains every *.org and *.org_archive file (in any case) below the root.
// It also contains, as opaque files that are stored and hashed but not parsed,
// *.org.gpg, the other files of the skills folder, agents/*/ROM*, and the files named
// in Options. [Root.Setup] adds the setup files that documents name. Hidden files and
// folders, editors' copies (#x#, x~) and the matches of .foveaignore files are
// excluded. A .foveaignore file has the syntax of .gitignore and applies to its folder.
//
// [ReadSkills] turns the files of the skills folder into a [Registry]: the skills by priority, in an
// order in which each follows its dependencies. A skill is an Org file with the properties
// :SKILL_PRIORITY:, :SKILL_TRIGGERS: and :SKILL_DEPENDS: in its file drawer, or a folder with a file
// SKILL.md whose front matter has the keys priority, triggers and depends.
//
// The client of an editor joins [Buffers] and puts a [Buffer] for each file with unsaved changes.
// Meanwhile Fovea does not write such a file. Requests of the owner in the buffer's session see its
// text; requests of agents do not. Buffers are bounded (MaxBuffers, MaxText, MaxTotal), and are
// dropped when their client leaves.
//
// Invariants:
//
//   - Skills are never executed. A skill with malformed metadata is listed, with a problem. Names are
//     unique: a built-in skill wins, then the first one by path.
//   - Only a Write changes a file, and only if the file still has the base content, no
//     editor has locked it and the user has not made it read-only.
//   - Nothing outside the root is opened or listed: all access goes through
//     internal/vfs, which never leaves the folder, and a link is followed only if its
//     target is inside.
//   - A file is listed once, under its own path. A file reachable only through links
//     is listed under the first link in scan order.
//   - A scan reads each folder at most once, so link loops terminate.
//   - A file counts as unchanged only if size, mtime, ctime and inode equal those of
//     its entry and both times precede the entry by at least [SettleTime]. A second
//     write within one clock tick is therefore detected.
//   - An unreadable file is never reported as deleted: files below an unreadable
//     folder remain listed as last seen.
//   - Files are ordered by the bytes of their paths, whatever order the file system
//     uses.
//
// Elsewhere: package org parses files, package fovea combines several writes into one
// crash-safe operation and lays buffers over views, and internal/config names the skills folder.
package corpus
