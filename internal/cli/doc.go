// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package cli holds the verbs of the operations, and writes what they print for a person at a
// terminal or for a program behind a pipe.
//
// [Commands] returns all verbs, made for one [Session], which is the run of the command line that
// they print to and ask. The table of package api gives each verb its arguments, flags and summary;
// an operation without output of its own gets a verb that prints JSON. [Misuse] is an error of
// whoever typed the command. A [Stream] is standard output or standard error, a [Cell] a column of
// a list. A [Console] is both streams of one run: answers, messages, warnings and progress.
//
// Invariants:
//   - A verb calls operations and prints; what an operation does is said in package api.
//   - Standard output has the answer and nothing else; with --json it is the operation's.
//   - A verb opens no file but those that its arguments name.
//   - All output passes through a Stream. At a terminal no text that was remembered acts on it, and
//     lists fit its width; a pipe gets the bytes unchanged, one record per line.
//
// Elsewhere: opening the memory, daemons, exit codes and the verbs that are no operations are
// cmd/fovea; the width from the environment is internal/config.
package cli
