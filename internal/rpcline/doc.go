// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package rpcline carries messages of JSON-RPC, one a line, between an MCP client and a
// server of the SDK. Whatever a client sends is answered and ends nothing: a line that is
// no JSON with -32700, one that is no message with -32600, and the next line is read.
//
// [Transport] is the transport; [Check] tells whether some bytes are a message, also for
// the face over HTTP; [Refuse] answers for a server that could not start.
//
// What holds: each call that is passed on has an id that no other call under way has, a
// line is bounded in length, and a line of the answer is written whole.
//
// Elsewhere: what messages mean. That is the SDK's and the server's.
package rpcline
