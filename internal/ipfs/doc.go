// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package ipfs carries histories to a node of IPFS and back, through the RPC of its daemon
// Kubo.
//
// A [Client] speaks to a daemon. [Push] puts histories there and pins them. It makes
// an archive: a [place.Manifest] that names packs, which are bundles in blocks, sealed or plain.
// [Client.ReadArchive] returns the bundles of an archive; [Client.FetchState] fetches
// only a plain state, by the digest of its root or of a commit, into a store.
//
// Invariants:
//
//   - No call waits longer than Deadline for a daemon that makes no progress, and what a daemon
//     sends is bounded.
//   - A block is used only after its digest was proved, whoever sent it.
//   - A CID is returned only after all that it names is in the daemon and pinned. Until then the
//     previous archive stays pinned, and the record of it does not change.
//   - A caller publishes nothing that it has read before the reading function has returned nil.
//
// Elsewhere: bundles, streams of blocks, seals, the content of a manifest and which packs are joined
// (package place), what becomes of a state that was fetched (package travel). The page is
// doc/format/ipfs.md.
package ipfs
