// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package cli holds the verbs of the operations, for a person at a terminal or a program behind a
// pipe.
//
// [Commands] returns all verbs, made for one [Session], which is the run of the command line that
// they print to and ask. A row of package face gives each verb its words and help, the tags of the
// request its arguments and flags, and a hook what these cannot say. [Misuse] is an error of whoever
// typed the command. A [Console] is what one run prints: answers, messages, warnings and progress.
//
// Invariants:
//   - A verb makes a request and asks; what an operation does is in package api, what its answer
//     looks like in package face.
//   - Standard output has the answer and nothing else; with --json it is the operation's.
//   - A verb opens no file but those that its arguments name.
//
// Elsewhere: opening the memory, daemons, exit codes and the verbs that are no operations are
// cmd/fovea; the width from the environment is internal/config.
package cli
