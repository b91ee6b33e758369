// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package mcpserver is the face of Fovea towards MCP clients: eight tools,
// resources and two prompts over an [api.Service].
//
// The type to know is [Server], made by [New]; [Web] serves it over HTTP. [Transport] carries one
// JSON-RPC message per line, [Check] validates messages, and [Refuse] answers in place of a server
// that could not start.
//
// Invariants: a tool parses and calls the service, package face phrases the answer; the list of tools is the same bytes each time and below 7 KB; what was
// remembered comes back between fences that it cannot close, under a line that
// calls it data, at most 128 KiB at once unless a budget asks for more; what the text
// of an answer tells stands in its structured content, too, or it has none; a refused call
// is a tool error that names the next step; a call under a key is carried out once, as
// far as the service knows keys (api.WithKey); invalid input gets an error response and never ends
// the session: -32700 for a line that is not JSON, -32600 for one that is not a message; no two
// pending calls have the same id, the length of a line is limited, and each response line is
// written in one piece.
//
// Elsewhere: what an operation does (package api), who may call it (the service
// that is passed in), listening (internal/daemon), and the tools of the server
// that others have used before (internal/servermemory).
package mcpserver
