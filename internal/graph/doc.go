// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package graph holds states, commits and the way between them.
//
// A [State] is all nodes of a scope at one moment: an immutable value whose
// copies share what is equal, so that a snapshot is a pointer. A [Draft]
// collects changes to a state, document by document, and seals them into the
// next state and its [Delta]. A document is a file, or a tree that came through the
// API (Draft.PutTree), of which a branch can change alone. A [Commit] records a delta with who, when and
// why, in [Record]s that are as large as what changed; applied to its parent's state it gives the next, and undone it gives
// the one before, so that any past state is reached from a neighbour. A [Ledger]
// follows a chain by its digests alone; [Lives] and [Retention] tell what a
// thinned history needs. [Merge] brings two states together that came from a third,
// and [Revert] takes back what led from one state to another.
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
//   - A merge depends on the states and on which side is the later one, not on the
//     order of the sides, and its result is what its own texts are read as.
//   - An id is borne by one node of a state. Who bears a contested id is a
//     function of the documents alone (node.Claim); files come before trees.
//
// Elsewhere: what a node is (package node), the search views over a state
// (internal/index), keeping commits on disk (internal/disk).
package graph
