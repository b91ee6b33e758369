// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package terminal writes what a command prints, for a person at a terminal or for a program
// behind a pipe.
//
// A [Stream] is standard output or standard error, a [Cell] a column of a list. A [Console]
// is both streams of one run: answers, messages, warnings and progress.
//
// Invariants: all output passes through a Stream; at a terminal no text that was remembered
// acts on it, and lists fit its width; a pipe gets the bytes unchanged, one record per line.
//
// Elsewhere: what is printed (cmd/fovea), and the width from the environment
// (internal/config).
package terminal
