// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package place carries the histories of a memory to other places and back: as one file, or in
// step with other machines through a folder, a machine behind SSH, refs of a git repository, a
// bucket or a cluster of NATS (package hosted).
//
// All of them use one form. [WriteBundle] writes the histories of several scopes, each a
// [Source], as a stream of blocks (a [Writer], CARv1), and [ReadBundle] appends them to other
// stores, batch by batch; [Sealed] encrypts such a stream, and [Unseal] opens it. [ReadInto]
// reads a bundle into a state folder.
//
// A [Place] holds small named objects. Each machine has its own log there: a [Head], which only
// that machine replaces, and packs, which are bundles that never change. So no machine can damage
// another one's log, and writers need no lock. A [Remote] is a place for one memory: [Remote.Push]
// appends to this machine's log, and [Remote.Pull] reads the logs of the others into copies, which
// are then merged.
//
// Invariants of carried data:
//
//   - A bundle is a function of the records: the same history gives the same bytes, also after it
//     was read from a bundle or packed.
//   - A block is used only after its digest was proved and it was announced. A stream that was
//     changed, cut off, reordered or extended gives an [Error] with the block and its offset.
//   - Each byte of a sealed stream is authenticated before it is used.
//   - A reader publishes nothing before it has read everything: until then the stores hold a part.
//   - Intents and sessions are not carried: they belong to one machine.
//   - Memory is bounded by the largest batch, and 50 bytes for each block of a scope.
//
// Invariants of places:
//
//   - A head replaces only the head that was read before, and has a higher count. If a write got
//     no answer, the place is read to find out whether it was done.
//   - A push writes a pack before the head that names it, and removes a pack only after it has
//     written a head that no longer names it. The name of a piece contains its machine, its push and
//     its digest; a head names only pieces of its own machine, and no name is reused.
//   - A log that went back, or whose history was replaced, is refused.
//   - On a sealed place, everything except the marker and the locked key is encrypted.
//   - The content of a place is not trusted: sizes, names and counts are bounded.
//   - In git, an object is a ref to a commit without parents, author or time, which a push with a
//     lease replaces. No hook, signature or prompt of git runs.
//
// Elsewhere: whether commits and states are genuine (package chain, when the store is
// loaded), merging (package travel), which remotes a memory has (package api/ops), IPFS
// (package ipfs), where credentials are found (package config). The pages are
// doc/format/bundle.md and doc/format/remote.md.
package place
