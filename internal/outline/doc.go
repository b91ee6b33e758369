// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package outline reads what source code defines, and reduces the code to that.
//
// A [Definition] is a class, a function, a type and the like, with its lines and its
// signature. [Language] names the language of a file, [Definitions] lists what the file
// defines, and [Text] writes the outline that a reader sees in place of the file: what it
// imports, its classes and its signatures, each with its line, without comments and bodies.
//
// The languages are Go, Python, JavaScript, TypeScript, Java, C, C++, Rust, Ruby, PHP, Shell
// and Emacs Lisp. Go is read by go/parser. The others, and Go with errors of syntax, are read
// by a scanner: one lexer, which a table of each language configures, finds the words, the
// brackets with their mates and the strings; a scanner of each family of languages finds the
// definitions among them. Macros are not expanded, and no type is resolved.
//
// Invariants:
//
//   - Any bytes are accepted. Nothing panics, and time is linear in the source.
//   - Definitions stand in the order of their lines. Lines lie within the source, and a
//     definition within another lies within its lines.
//   - Equal sources have equal outlines.
//
// Elsewhere: package internal/excerpt shortens prose; package working decides when a file is shown as an outline.
package outline
