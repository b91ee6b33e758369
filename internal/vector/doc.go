// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package vector keeps the vectors of one embedding model and finds those nearest to a
// question.
//
// A [Store] is a file of vectors and the same vectors as rows in memory, under the own
// digest of the text that each was made of: all of history shares them. [Store.View]
// returns a [Set], an immutable view of the rows, and [Set.Prepare] a [Query] for it.
// [Set.Best] finds the nearest rows, and [Set.Chance] how near rows are by chance. The page
// is doc/format/vectors.md.
//
// Invariants:
//
//   - Vectors are derived: damage, a crash or a foreign file loses vectors, which are
//     then missing and made again, and never makes an answer wrong.
//   - What Retain removed is gone from the file, byte for byte.
//   - A row of a Set never changes, and means the same text in each Set of the store. Readers
//     take no lock.
//   - In memory a number of a row is an integer from -32512 to 32512 times a factor that the row has,
//     its bytes in two planes. All rows are compared, by sums of integers, which are the same on
//     every processor: those of the first plane alone where these prove that a row is not among the best.
//   - Cosines are rounded to multiples of 1/65536 before anything is ranked, and equal ones rank by
//     digest, so that no order depends on the order of insertion, nor on who asks: a daemon
//     that made the vectors, or a command that read them.
//
// Elsewhere: what makes vectors of texts (package embed), and what a cosine counts in a
// search (package recall).
package vector
