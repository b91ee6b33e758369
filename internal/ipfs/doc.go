// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package ipfs carries histories to a node of IPFS and back, through the RPC of its daemon
// Kubo.
//
// A [Client] sends requests to a daemon. [Push] writes histories to it as an archive and pins that:
// a [place.Manifest] that names packs, which are bundles in blocks, sealed or plain.
// [Client.ReadArchive] returns the bundles of an archive; [Client.FetchState] fetches only a plain
// state into a store, by the digest of its root or of a commit.
//
// Invariants:
//
//   - No call waits longer than Deadline for a daemon that makes no progress, and the answers of a
//     daemon are bounded.
//   - A block is used only after its digest was checked.
//   - A CID is returned only after everything that it names is in the daemon and pinned. Until then
//     the previous archive and its record stay.
//   - A caller publishes what it has read only after the reading function has returned nil.
//
// Elsewhere: bundles, streams of blocks, seals, the content of a manifest and which packs are joined
// (package place), what happens to a fetched state (package travel). The page is
// doc/format/ipfs.md.
package ipfs
