// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package bundle carries histories from one store to another in one stream: a memory in a
// file, or what came to it since.
//
// [Write] writes the histories of several scopes, each a [Source], as an archive: for each
// batch of a journal a block that announces its records, and then the records that are
// blocks. [Read] appends them to other stores, batch by batch. A [Header] says which
// scopes a bundle has, and from which commit to which.
//
// Invariants:
//
//   - A bundle is a function of the records: the same history gives the same bytes, also
//     after it went through a bundle or was packed.
//   - Each block is proved and was announced before it is handed on. A bundle that was
//     changed, cut off, reordered or extended is an [archive.Error].
//   - Whoever reads publishes nothing before Read returns nil: until then the stores
//     hold a part.
//   - Intents and sessions stay where they are: they are of one machine.
//   - Memory is bounded by the largest batch, and 50 bytes for each block of a scope.
//
// Elsewhere: the stream of blocks and its seal (package archive), whether commits and
// states are what they say (package chain, when the store is loaded), other machines
// (package remote). The page is doc/format/bundle.md.
package bundle
