// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package scope is one scope of a memory: a chain, and the region of the memex folder that
// it holds.
//
// The packages that work on a memory (notes, travel, mend and others) are its rooms, and each
// works on a [Scope]. A Scope determines the author of an operation, prepares its commit, finds an
// earlier operation with the same key, records the files that differ from memory on purpose
// ([Drift]), and lists the other open scopes of the memex. [Rules] judge each file of an operation by its author, and
// [Trust] is the book of trusted texts of protected files, a ledger of the chain. An
// [Overlay] lays scopes over one another, and [FindHistory] finds the history of a memex that was moved.
//
// Invariants:
//   - A memex, its projects and its sessions have separate chains. A file belongs to exactly
//     one scope.
//   - Code that writes takes a chain.Tx. Everything else is safe for concurrent use, unless its
//     comment states that its caller is the chain's writer.
//   - The rights of an operation are checked before it reads or reveals anything to its author. Of
//     all paths that lead to a file, the strictest rule applies.
//   - A text becomes trusted by an edit of the owner on top of a trusted text, by the first scan
//     under a policy, or by the owner's decision; never otherwise.
//
// Elsewhere: package fovea opens and closes scopes; internal/guard has policies, books and verdicts;
// internal/ingest sends alerts and carries out the owner's decisions; internal/write changes files.
package scope
