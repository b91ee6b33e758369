// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package graph defines states, commits, and the deltas that lead from one state to the
// next.
//
// A [State] is all nodes of a scope at one moment: an immutable value that shares
// structure with other states, so that a snapshot is a pointer. A [Draft] collects
// changes to a state and seals them into the next state and its [Delta]. It changes whole
// documents (Draft.Put) or a branch: a subtree of a tree (Draft.PutBranch), or headlines
// appended to a file. A [Commit] records a delta with its author, time and message, in a
// [Record] for each change. Applying a commit to the state of its parent yields the next
// state; undoing it yields the previous one. Any past state can therefore be reached from a
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
//     are read from the other documents. A past state is therefore always read
//     with the setup files of its time. A change of a setup file reads every document
//     that names it again, in the same delta.
//   - A merge depends on the two states and on which is later, not on the order of the
//     arguments. Parsing the merged texts yields the merged state.
//   - Within a state, each id belongs to exactly one node. The bearer of a contested id is a function of the
//     documents alone (node.Claim); files have precedence over trees.
//
// Elsewhere: what a node is (package node), the search views over a state
// (internal/index), keeping commits on disk (internal/disk).
//
// # Where a change goes
//
//   - How ids are derived: node/id.go, the place of a part in node/outline.go and node/branch.go, the path of a tree in node/tree.go; the
//     key of a part in org/format.go and ast/format.go; document/id.go says what an id may be. No version covers ids, and an ingest skips
//     files whose bytes it has: the change must have every file read again, or an old memory has another root than a fresh one. Then
//     node/testdata/trees.txt, the golden files, and the ids printed in README.md and doc.
//   - Embedding: another server or model file in embed; the file of vectors and the scan in internal/vector; what is embedded, when, and
//     how long a question waits in internal/meaning; what a near node counts in internal/recall/meaning.go; internal/meaning/models.go joins them to
//     a memex. Then BenchmarkMeaning in bench and decision 0125.
//   - How words are indexed, and which facts of a node are marks: internal/index/terms.go with its AnalyzerVersion, and
//     internal/recall/marks.go. Words for a misspelled one: internal/index/similar.go.
package graph
