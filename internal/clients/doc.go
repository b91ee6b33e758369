// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package clients writes the configuration that lets an MCP client start Fovea, and answers the
// hooks of coding agents.
//
// [All] are the supported clients, [HooksOf] those with hooks. The entry of a [Server] and the hooks
// are a [Part] each, which knows its file and is merged into it and taken out of it. An [Input] is
// what a hook sends, of whichever client; [AnswerHook] asks the memory and returns what the client
// wants on its standard output.
//
// Invariants:
//   - Every byte of a file that is not the entry stays, comments of JSON too, save those right
//     beside an entry that is taken out; the file as it was is kept beside. A file in a form that
//     is not understood is left alone.
//   - An answer to a hook is JSON of the client's own form, or nothing. What a model is given says
//     that it is remembered data, and orders nothing. A session is told a note once.
//   - Nothing is kept of a session unless the owner asked for it, and then without secrets.
//
// Elsewhere: the verbs setup and hook, which choose the server and limit the time, are cmd/fovea.
package clients
