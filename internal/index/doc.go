// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package index is the full-text and attribute index of nodes. Indexes are immutable;
// an update returns a new one.
//
// [Lexical] is an inverted index over the fields title, tags and body, ranked by BM25.
// [Order] has the positions of documents in their files, scores them with the documents around
// them, and measures by [Order.Lift] whether neighbours are related. Marks are facts of
// documents that are looked up exactly and are not words.
// [Attributes] maps a key and a value to ids: keywords, tags, properties, link targets.
// [Terms] is the text analysis; highlighting must use it too, so that it marks what the
// index found, as [Matcher] does. [Lexical.Unknown] offers known terms for words of a
// question that no document has.
//
// Invariants:
//
//   - An updated index answers exactly as one built from the same documents: the same
//     ids, order and bits of every score. Its statistics (document count, total length,
//     document frequency) are integers over the live documents, and scores are summed
//     in query order.
//   - A segment never changes. Versions of an index share segments; each version marks
//     removed documents in bitmaps of its own.
//   - Each segment holds at least four times the live documents of all later segments,
//     so there are few, and at most 30 % of its documents are dead.
//   - Within a segment, documents are numbered in id order and terms are in byte order.
//     A segment, and the encoded index, therefore depends only on its documents.
//   - Posting lists stay encoded in memory; the decoder checks every bound.
//   - Map order and hash seeds never affect an answer.
//
// Elsewhere: package recall decides which nodes become documents and answers queries; package
// query has the query language; package disk stores the encoded index.
package index
