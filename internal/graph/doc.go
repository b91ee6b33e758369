// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package graph holds states, commits and the way between them.
//
// A [State] is all nodes of a scope at one moment: an immutable value that shares
// structure with other states, so that a snapshot is a pointer. A [Draft] collects
// changes to a state and seals them into the next state and its [Delta]: whole documents
// (Draft.Put), or a branch alone, which is part of a tree (Draft.PutBranch) or headlines
// added at the end of a file. A [Commit] records a delta with its author, time and
// message, in a [Record] for each change. Applied to the state of its parent it gives the
// next state, and undone the one before, so that any past state is reached from a
// neighbour. A [Ledger] follows a chain by its digests alone; [Lives] and [Retention]
// determine what a thinned history needs. [Merge] merges two states that share a base, and
// [Revert] undoes the changes between two states.
//
// Invariants:
//
//   - A state is never changed; readers need no lock.
//   - The root is a function of the nodes' ids, versions, parents and paths:
//     not of the order they came in, nor of the history that led to them.
//   - Applying a commit checks the root it names, so a damaged or forged
//     journal cannot yield a state.
//   - Derived fields are a function of the state alone: a document's setup files
//     are read from the documents beside it. So a past state is read with the
//     setup files of its time, whichever way it was reached, and a change of one
//     reads all documents again that name it, in the same delta.
//   - A merge depends on the states and on which side is later, not on the order of the
//     sides, and parsing its texts gives its result.
//   - One node of a state bears an id. The bearer of a contested id is a function of the
//     documents alone (node.Claim); files have precedence over trees.
//
// Elsewhere: what a node is (package node), the search views over a state
// (internal/index), keeping commits on disk (internal/disk).
package graph
