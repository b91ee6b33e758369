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
//   - Vectors are derived: damage, a crash or a foreign file only loses vectors, which are
//     then made again. It never makes an answer wrong.
//   - What Retain removed is overwritten in the file.
//   - A row of a Set never changes, and means the same text in each Set of the store. Readers
//     take no lock.
//   - In memory a number of a row is an integer from -32512 to 32512 times a factor of the row, with
//     its two bytes in two planes. All rows are compared by sums of integers, which are the same on
//     every processor. The first plane is enough if it proves that a row is not among the best.
//   - Cosines are rounded to multiples of 1/65536 before ranking, and equal ones rank by digest.
//     The order is therefore the same in a daemon that made the vectors and in a command that
//     read them.
//
// Elsewhere: package embed makes vectors of texts, and package recall decides what a cosine
// counts in a search.
package vector
