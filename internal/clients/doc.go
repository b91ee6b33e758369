// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package clients writes the configuration that lets an MCP client start Fovea, and answers the
// hooks of coding agents.
//
// [All] are the supported clients, [HooksOf] those with hooks. The entry of a [Server] and the hooks
// are each a [Part], which can be merged into the client's file and removed from it. An [Input] is
// the data that a client sends to a hook; [AnswerHook] answers it from the memory in the form that
// the client expects on standard output.
//
// Invariants:
//   - Every byte of a file outside the entry is preserved, including JSON comments, except those
//     directly next to a removed entry; a copy of the old file is kept beside it. A file in an
//     unsupported form is left alone.
//   - An answer to a hook is JSON of the client's own form, or nothing. It tells the model that it is
//     remembered data and no order. A session is shown each note once.
//   - Nothing of a session is kept unless the owner asked for it, and then without secrets.
//
// Elsewhere: the verbs setup and hook, which choose the server and limit the time, are cmd/fovea.
package clients
