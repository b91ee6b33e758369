// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package index finds nodes by word and by attribute, in views that never change.
//
// The types to know are [Lexical], a full-text index ranked by BM25 with the
// fields title, tags and body, and [Attributes], exact look-up by key and value:
// keywords, tags, properties, link targets. [Terms] is the analysis that both
// the index and whoever marks the found words in a text must share.
//
// Invariants:
//
//   - A view answers as one built anew from the same documents: the same ids in
//     the same order with bit-equal scores, whatever updates led to it. All
//     statistics (documents, their length, documents with a term) are integers
//     over the live documents, and the terms of a query are added in its order.
//   - A segment never changes after it is made. Views share segments; what has
//     left one is a bitmap of the view.
//   - Of the segments of a view each holds at least four times the live
//     documents of all later ones, so there are few; at most 30 % of one is dead.
//   - In a segment documents are numbered in the order of ids and terms stand in
//     byte order, so that a segment, and with it the encoded index, is a
//     function of its documents.
//   - Posting lists stay encoded in memory; reading them checks every bound.
//   - A search for the best k passes over blocks of postings that cannot hold one
//     of them, and finds, bit for bit, how the list of all begins. Blocks are made
//     with a segment and never written.
//   - No order of a map and no seed of a hash reaches an answer.
//
// Not here: which nodes make documents and how arms of retrieval are fused
// (package recall); the query language (package query); the file the encoded
// index lies in (package disk).
package index
