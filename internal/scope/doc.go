// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package scope is one scope of a memory: a chain, and the region of the memex folder that
// it holds.
//
// The packages that work on a memory (notes, travel, mend and others) are its rooms, and each
// works on a [Scope]. A Scope determines the author of an operation, prepares the commit that
// the operation fills in, finds an earlier operation with
// the same key, keeps the files that differ from memory on purpose ([Drift]), and lists the
// other open scopes of the memex.
//
// Invariants:
//   - A memex, its projects and its sessions have separate chains. A file belongs to exactly
//     one scope.
//   - Code that writes takes a chain.Tx. Everything else can be called by any goroutine, unless
//     its comment says that its caller is the chain's writer.
//
// Elsewhere: opening and closing is package fovea; who may write is internal/rights; changes
// of files are internal/write.
package scope
