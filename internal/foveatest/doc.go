// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package foveatest contains test helpers shared by several packages: generated Org files
// of any size, external test data, optional programs, golden files, and random campaigns.
//
// The main functions are [GenTree] and [GenFiles] (generated files); [Testdata], [Part]
// and [NodePackages] (skip a test if its requirement is missing); [Golden] (comparison
// with a file); and [NewCampaign] (random cases from a seed).
//
// Invariants:
//
//   - The generator is a pure function of its arguments. Checksums in the tests pin its
//     output, so that timings of different programs on the same input are comparable.
//   - A skip always names what is missing. A program that FOVEA_PARTS lists as installed
//     is never skipped: its absence fails the test.
//   - Only tests and benchmarks import this package.
//
// Elsewhere: internal/faultfs injects faults into a file system.
package foveatest
