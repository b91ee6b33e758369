// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package hook answers the hooks of coding agents: it gives a model what the memory holds when
// a session starts and when a person has asked something.
//
// An [Input] is what a client sends, of whichever client; [Answer] asks the memory and returns
// what the client wants on its standard output.
//
// Invariants:
//   - An answer is JSON of the client's own form, or nothing.
//   - What a model is given says that it is remembered data, and orders nothing.
//   - A session is told a note once; see package window for what a session was shown.
//   - Nothing is kept of a session unless the owner asked for it, and then without secrets.
//
// Elsewhere: the verb with its limit of time is cmd/fovea; writing hooks into the files of
// clients is internal/setup.
package hook
