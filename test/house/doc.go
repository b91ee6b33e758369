// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package house holds the rules of the repository as tests: which package imports which, how
// large files, functions and packages are, what is documented and in which words, and which
// pages and tables must be true. The package itself has no code.
//
// A rule (see source_test.go) is a function from the parsed Go files to complaints. Each rule
// is also shown a breach, so that none decays into one that never complains. The tests run in
// the root of the repository.
//
// Elsewhere: the tests of the memory are in test; gofmt, vet and staticcheck run from .ci/run.
package house
