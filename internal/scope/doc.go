// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package scope is one scope of a memory: a chain, and the region of the memex folder that
// it holds.
//
// A [Scope] is what every other room of a memory works on. It names the author of an operation
// and makes the commit that the operation is about to fill in, finds an earlier operation with
// the same key, keeps the files that differ from memory on purpose ([Drift]), and lists the
// other open scopes of the memex. [Options] are those of package fovea; they are
// declared here because every room reads them.
//
// Invariants:
//   - A memex, its projects and its sessions have separate chains. A file belongs to exactly
//     one scope.
//   - Code that writes takes a chain.Tx. Everything else can be called by any goroutine, unless
//     its comment says that its caller is the chain's writer.
//
// Elsewhere: opening and closing is package fovea; who may write is internal/rights; changes
// of files are internal/filetx.
package scope
