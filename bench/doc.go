// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package bench compares Fovea with its peers: as a program with Emacs'
// org-element and with its own start, as a parser with go-org and uniorg, as a
// store with pebble, bbolt and SQLite, as an image with encoding/gob and the
// seed's own code, as a way back with git, as a search for vectors with chromem-go. It is a module of its own, so that
// what it depends on never reaches the core.
//
// BenchmarkColdFolder, BenchmarkWarmFolder, BenchmarkParsers, BenchmarkDurable,
// BenchmarkImage, BenchmarkSeedImage, BenchmarkSeedIngest, BenchmarkRollback,
// BenchmarkVectorScan and BenchmarkVectorPeer are the comparisons, with small tests that each side does its work; BenchmarkMillion
// says what 1,000,000 headlines take, and BenchmarkQuality what search and windows
// find, which TestQuality keeps from falling; TestReadmeLost, TestReadmeBudget and
// TestReadmeWords measure the figures of the main README; README.md holds their figures and those of
// the benchmarks that live in the packages.
//
// Invariants:
//
//   - Both sides run alternately in one run on the same files; what is reported
//     is the median and the ratio, never an absolute time as a proof.
//   - A run counts only when it did its work: each side says how many headlines
//     it read, and the number must be the one that was generated.
//   - Processor time is the process's own, user and system, all threads.
//
// Elsewhere: benchmarks of one package, which stand in that package.
package bench
