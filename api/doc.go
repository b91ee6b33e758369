// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package api declares the operations of Fovea, once: an [Op] for each, with the types
// of its request and answer, in the table [Operations]. The table drives the
// HTTP routes, the OpenAPI document, the verbs and their flags, the arguments of MCP tools,
// the choice of scopes, and idempotency. To add an operation, add
// a row with [Define].
//
// A surface (command line, HTTP, MCP) turns its input into a [Call] and passes it to a
// [Service]: that of a memory in this process ([NewLocal]), or a client of a daemon.
// What every call goes through is a [Middleware], such as trust.Guarded;
// [Chain] puts them in order.
//
// Invariants:
//
//   - The JSON keys of requests and responses are stable: more may be added,
//     none is renamed or removed.
//   - Responses hold no pointer into a memory; they can be kept and sent.
//   - Errors are *fovea.Error, so that every surface can tell their kinds.
//   - A context carries the caller's grant and the scopes, see package author; what
//     belongs to one call is a field of Call.
//   - Content that a commit records as removed is not damage. No proof is handed out that the
//     verifier refuses, and only those who may read a note at a moment may have a proof of it.
//   - Feedback is about what was shown: to an agent in one of its windows, to the owner by a
//     search for the question. Anything else is an error.
//   - Fovea executes nothing in a skill: it names the skills that answer to an event. Only the owner
//     holds buffers, as long as its stream of events is open, and an agent reads its own lines of
//     the log and no others.
//
// Elsewhere: what the operations do (package fovea), those of agents, other programs and other
// places (api/agents, api/exchange, api/remotes), what an agent may ask of them (package trust), how
// they are printed (internal/cli).
package api
