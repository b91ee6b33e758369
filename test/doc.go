// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package test holds the tests of package fovea: a memory as a program that imports it sees
// it. The package itself has no code.
//
// A file is named for what it tests: edit, remember, merge, purge, guard and so on. Four
// names mark other kinds: campaign_* are the reliability campaigns of doc/reliability.md,
// seed_* the contracts that doc/specification.md names, *_bench the benchmarks, *_proof the
// tests of what threats and races must not do. Three fixtures are shared: world (in
// memory_test.go) is a memory on a real folder, disks (in crash_test.go) two file systems that
// crash and fail, workload (in workload_test.go) a run of random operations on them.
//
// Elsewhere: the rules of the repository are in test/house. A test of what a package does not
// export stands beside its code. Examples of package fovea are in its own folder, where go doc
// finds them.
package test
