// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package stores knows the state folders of a user as a whole: which there are, of which
// memex each is, and which of them holds the history of a folder that was moved, renamed
// or copied.
//
// A store is found by the path of its memex, so that a memex at another path has none.
// Before a new one is begun there, [Look] asks the other stores whether one knows these
// notes, and [Take] lets one go on at the new path. What a store knows of its memex
// is a witness of the folder (device, inode, the beginning of its git log), which [Mark]
// writes, and the digests of its files: as the last scan saw them, and as the journal names
// those that Fovea itself wrote since.
//
// Elsewhere: where the state folder of a memex is (internal/config), and what it holds
// (internal/disk).
package stores
