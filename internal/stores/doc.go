// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package stores manages all state folders of a user: it lists them with their memexes,
// and finds the one with the history of a folder that was moved, renamed or copied.
//
// A store is found by the path of its memex, so a memex at another path has none. Before a new one is created
// there, [Find] searches the other stores for these notes, and [Take] moves or copies one to the new path. A
// store identifies its memex by a witness of the folder (device, inode, the beginning of its git log), which
// [Mark] writes, and by the digests of its files as last scanned, without later changes by Fovea itself.
//
// Elsewhere: internal/config locates the state folder of a memex, and internal/disk
// defines its contents.
package stores
