// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package remote keeps one memory on several machines in step, through a place that all of
// them reach: a folder, or a folder of a machine behind SSH.
//
// A [Place] holds small objects under names. On it, each machine has a log of its own: a
// [Head], which it alone replaces, and the packs that the head names, which are bundles and
// never change. So no machine can harm what another one wrote, and writers need no lock. A
// [Remote] is a place as one memory sees it: [Remote.Push] appends to this machine's log,
// [Remote.Pull] reads the logs of the others into copies beside the memory, which are then
// merged.
//
// Invariants:
//
//   - A head is replaced only if it is the one that was read before, and by one with a
//     higher count. If a write got no answer, the place is read to see whether it was done.
//   - A push writes a pack before the head that names it, and removes a pack only after it has
//     written a head that no longer names it. Its pieces bear their machine, their push, and the
//     digests of their bytes; a head names pieces of its own machine alone, and no name is used
//     again.
//   - A log that went back, or whose history is not the one that was there, is refused.
//   - On a sealed place, all but the marker and the locked key is encrypted.
//   - Nothing that a place holds is trusted: sizes, names and counts are bounded.
//
// Elsewhere: the bytes of packs (package bundle), their seal (package archive), merging
// (package travel), which remotes a memory has (package api/remotes). The page is
// doc/format/remote.md.
package remote
