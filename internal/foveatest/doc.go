// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package foveatest holds what the tests of several packages share: generated
// Org material of any size, the folder of outside test material, the optional
// programs a test may need, golden files, and the length of campaigns.
//
// The functions to know are [GenTree] and [GenFiles] (material), [Testdata],
// [Part] and [NodePackages] (skip by name what is absent), [Golden] (compare with a file), and
// [NewCampaign] (many cases from a seed: a few in each run, all on request).
//
// Invariants:
//
//   - The generator is a pure function of its arguments: the same numbers give
//     the same bytes on every machine, and its check sums are tested. Timings of
//     different programs are comparable because all of them read these bytes.
//   - A skip always names what is missing. A part that FOVEA_PARTS lists as
//     installed is never skipped: its absence fails the test.
//   - Only tests and benchmarks import this package.
//
// Elsewhere: faults injected below a file system, which are internal/faultfs.
package foveatest
