// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package rpcline is an MCP transport that carries one JSON-RPC message per line. Invalid
// input gets an error response and never ends the session: -32700 for a line that is not
// JSON, -32600 for one that is not a message.
//
// [Transport] is the transport. [Check] validates messages, also for the HTTP server.
// [Refuse] answers in place of a server that could not start.
//
// Invariants: no two pending calls have the same id, the length of a line is limited, and
// each response line is written in one piece.
//
// Elsewhere: the SDK and internal/mcpserver interpret the messages.
package rpcline
