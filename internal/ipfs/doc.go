// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package ipfs carries histories to a node of IPFS and back, through the RPC of its daemon
// Kubo.
//
// A [Client] speaks to a daemon. [Push] puts histories there and pins them: what it makes is
// an archive, a [Manifest] that names packs, which are bundles in blocks, sealed or plain.
// [Client.ReadArchive] hands on the bundles of an archive again; [Client.FetchState] brings
// a plain state alone, by the digest of its root or of a commit, into a store.
//
// Invariants:
//
//   - No call waits longer than Client.Deadline for a daemon that does nothing, and what a
//     daemon sends is bounded.
//   - A block counts only after its digest was proved, whoever sent it.
//   - A CID is said only after all that it names is in the daemon and pinned. Until then the
//     archive before stays pinned, and what is known of it stays as it was.
//   - Whoever reads publishes nothing before the reading functions return nil.
//
// Elsewhere: the bytes of bundles (package bundle), streams of blocks and seals (package
// archive), what becomes of a state that was fetched (package travel). The page is
// doc/format/ipfs.md.
package ipfs
