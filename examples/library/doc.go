// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package library has the examples of doc/library.md: programs that use Fovea from a module of
// their own, where its internal packages cannot be imported.
//
// Elsewhere: TestLibraryExamples of package test runs them.
package library
