// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package scope is one scope of a memory: a chain, and the region of the memex folder that
// it holds.
//
// A [Scope] is what every other room of a memory works on. It answers who acts and what a
// commit of theirs looks like, whether an operation was done before under the same key, which
// files differ from memory on purpose ([Drift]), and which other scopes of the memex
// are open ([Family]). [Options] are the options of a memory.
//
// Invariants:
//   - A memex, its projects and its sessions have separate chains. A file belongs to exactly
//     one scope.
//   - A method that says that its caller is the chain's writer takes no lock. All others can
//     be called by any goroutine.
//
// Elsewhere: opening and closing is package fovea; who may write is internal/rights; changes
// of files are internal/filetx.
package scope
