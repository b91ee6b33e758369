// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package bench compares Fovea as a program with Emacs' org-element on the same
// files, and with its own start. It holds benchmarks only, in a module of its
// own, so that what it depends on never reaches the core.
//
// BenchmarkColdFolder and BenchmarkWarmFolder are the comparisons; README.md
// holds their figures and those of the benchmarks that live in the packages.
//
// Invariants:
//
//   - Both sides run alternately in one run on the same files; what is reported
//     is the median and the ratio, never an absolute time as a proof.
//   - A run counts only when it did its work: each side says how many headlines
//     it read, and the number must be the one that was generated.
//   - Processor time is the process's own, user and system, all threads.
//
// Not here: benchmarks of one package, which stand in that package.
package bench
