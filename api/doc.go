// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package api declares the operations of Fovea, once: requests, responses and
// the [Service] that answers them. [Local] answers them from a Memory in this
// process; a face (command line, HTTP, MCP) turns its input into a request,
// calls a Service and shows the response, and holds no logic of its own.
// [Operations] is the same as data, for faces that are told an operation by name;
// [Through] is a Service over one function, for those that are elsewhere.
//
// Invariants:
//
//   - The JSON keys of requests and responses are stable: more may be added,
//     none is renamed or removed.
//   - Responses hold no pointer into a memory; they can be kept and sent.
//   - Errors are *fovea.Error, so that every face can tell their kinds.
//
// Elsewhere: what the operations do (package fovea), how they are printed
// (cmd/fovea).
package api
