// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package mcpserver is the face of Fovea towards MCP clients: eight tools,
// resources and two prompts over an [api.Service].
//
// The type to know is [Server], made by [New]; [Web] serves it over HTTP.
//
// Invariants: a tool parses, calls the service and prints, and holds no logic of
// its own; the list of tools is the same bytes each time and below 7 KB; what was
// remembered comes back between fences that it cannot close, under a line that
// calls it data, at most 128 KiB at once unless a budget asks for more; what the text
// of an answer tells stands in its structured content, too, or it has none; a refused call
// is a tool error that names the next step; a call under a key is carried out once, as
// far as the service knows keys (api.WithKey).
//
// Elsewhere: what an operation does (package api), who may call it (the service
// that is passed in), listening (internal/daemon), and the tools of the server
// that others have used before (internal/servermemory).
package mcpserver
