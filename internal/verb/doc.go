// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package verb holds the verbs of the operations: what each says of itself on the command
// line, how its flags and arguments become a request, and how its answer is printed.
//
// [Commands] returns them all, made for one [Session], which is the run of the command line
// that they print to and ask. The table of package api gives each verb its arguments, flags
// and summary; an operation without output of its own gets a verb that prints JSON.
// [Misuse] is an error of whoever typed the command.
//
// Invariants:
//
//   - A verb calls operations and prints; what an operation does is said in package api.
//   - Standard output has the answer and nothing else; with --json it is the operation's.
//   - A verb opens no file but those that its arguments name.
//
// Elsewhere: opening the memory, daemons, exit codes and the verbs that are no operations
// (cmd/fovea); streams, columns and progress (package terminal).
package verb
