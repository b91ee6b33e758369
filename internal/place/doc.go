// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package place carries the histories of a memory to other places and back: in one file, or
// in step with other machines through a folder, a machine behind SSH, refs of a git repository, or
// what servers keep (package hosted).
//
// What is carried has one form. [WriteBundle] writes the histories of several scopes, each a
// [Source], as a stream of blocks (a [Writer], CARv1), and [ReadBundle] appends them to other
// stores, batch by batch; [Sealed] encrypts such a stream, and [Unseal] opens it. [ReadInto]
// reads a bundle into a state folder.
//
// A [Place] holds small objects under names. On it, each machine has a log of its own: a
// [Head], which it alone replaces, and the packs that the head names, which are bundles and
// never change. So no machine can harm another one's log, and writers need no lock. A
// [Remote] is a place as one memory sees it: [Remote.Push] appends to this machine's log,
// [Remote.Pull] reads the logs of the others into copies beside the memory, which are then
// merged.
//
// Invariants of carried data:
//
//   - A bundle is a function of the records: the same history gives the same bytes, also
//     after it went through a bundle or was packed.
//   - No block is handed on before its digest was proved and it was announced. A stream that was
//     changed, cut off, reordered or extended is an [Error], which names the block and its byte.
//   - Of a sealed stream, no byte is handed on that was not authenticated.
//   - Whoever reads publishes nothing before all was read: until then the stores hold a part.
//   - Intents and sessions are not carried: they belong to one machine.
//   - Memory is bounded by the largest batch, and 50 bytes for each block of a scope.
//
// Invariants of places:
//
//   - A head is replaced only if it is the one that was read before, and by one with a
//     higher count. If a write got no answer, the place is read to see whether it was done.
//   - A push writes a pack before the head that names it, and removes a pack only after it has
//     written a head that no longer names it. Its pieces carry their machine, their push, and the
//     digests of their bytes; a head names pieces of its own machine alone, and no name is used
//     again.
//   - A log that went back, or whose history is not the one that was there, is refused.
//   - On a sealed place, all but the marker and the locked key is encrypted.
//   - Nothing that a place holds is trusted: sizes, names and counts are bounded.
//   - In git, an object is a ref to a commit without parents, which says neither who wrote it nor when,
//     and is replaced by a push with a lease. No hook, signature or prompt of git runs.
//
// Elsewhere: whether commits and states are genuine (package chain, when the store is
// loaded), merging (package travel), which remotes a memory has (package api/ops), IPFS
// (package ipfs), where credentials are found (package config). The pages are
// doc/format/bundle.md and doc/format/remote.md.
package place
