// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package mcpserver serves Fovea to MCP clients: eight tools,
// resources and two prompts over an [api.Service].
//
// The main type is [Server], made by [New]; [Web] serves it over HTTP. [Transport] carries one
// JSON-RPC message per line, [Check] validates messages, and [Refuse] answers in place of a server
// that could not start.
//
// Invariants: a tool parses and calls the service, package face phrases the answer; the list of
// tools is always the same bytes, below 7 KB; remembered text is returned between fences that it
// cannot close, under a line that calls it data, at most 128 KiB at once unless a budget asks for
// more; the structured content of an answer contains its whole text, or is missing; a refused call
// is a tool error that names the next step; a call under a key is performed once, as far as the
// service supports keys (api.WithKey); invalid input gets an error response and never ends the
// session: -32700 for a line that is not JSON, -32600 for one that is not a message; no two
// pending calls have the same id, the length of a line is limited, and each response line is
// written in one piece.
//
// Elsewhere: what an operation does (package api), who may call it (the service
// that is passed in), listening (internal/daemon), and the tools of the server
// server-memory (internal/servermemory).
package mcpserver
