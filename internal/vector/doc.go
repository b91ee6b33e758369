// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package vector keeps the vectors of one embedding model and finds those nearest to a
// question.
//
// A [Store] is a file of vectors and the same vectors as rows in memory, under the own
// digest of the text that each was made of: all of history shares them. [Store.View]
// returns a [Set], an immutable view of the rows, and [Set.Prepare] a [Query] for it.
// [Set.Best] finds the nearest rows, [Set.Dots] the cosines of chosen rows, and
// [Set.Chance] how near rows are by chance. The page is doc/format/vectors.md.
//
// Invariants:
//
//   - Vectors are derived: damage, a crash or a foreign file loses vectors, which are
//     then missing and made again, and never makes an answer wrong.
//   - What Drop confirmed is gone from the file, byte for byte.
//   - A row of a Set never changes. Readers take no lock.
//   - Cosines are rounded to multiples of 1/65536 before anything is ranked, and equal ones rank by
//     digest, so that no order depends on the order of insertion. Kernels of
//     different processors add in different orders; their sums differ by some
//     millionths, so that a cosine may differ by one such step.
//   - Up to 50,000 rows every answer is exact. Above, after [Store.Encode], rows are chosen
//     by codes, as many as a sample of questions needs, and ranked by exact cosines.
//
// Elsewhere: what makes vectors of texts (package embed), and what a cosine counts in a
// search (package recall).
package vector
