// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package remotes defines the operations that carry a memory to other places and bring
// back what comes from there: bundles, which are one file, remotes, which several machines
// share, and copies of the memory on the same machine.
//
// Its types are requests and answers, such as [BundleRequest] and [SyncResponse]. What is
// known about a remote is kept in the state folder, below remotes/NAME. Importing the package
// adds its operations to the table of package api.
//
// Invariants:
//   - Only the owner may use them: an agent needs a grant.
//   - What comes in becomes one commit, which a rollback undoes, or nothing at all.
//   - No answer and no error holds a key or a passphrase.
//
// Elsewhere: the bytes of bundles and the log of each machine (internal/place), merging
// and restoring (internal/travel), clone, for which no memory
// exists yet (cmd/fovea).
package remotes
