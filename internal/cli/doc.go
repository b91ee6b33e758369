// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package cli has the verbs of the operations, for a person at a terminal or a program behind a
// pipe.
//
// [Commands] returns all verbs for one [Session], a run of the command line that has the memory and
// the output. A row of package face defines the words and the help of each verb, the tags of the
// request its arguments and flags, and a hook everything else. [Misuse] is an error in the command
// as it was typed. A [Console] prints answers, messages, warnings and progress.
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
