// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package servermemory speaks as the MCP server @modelcontextprotocol/server-memory
// does: nine tools over a graph of entities and relations, kept in Org files under
// agents/server-memory/ of a memex, one graph for all clients. Who used that server
// before changes one line of a configuration.
//
// The types to know are [Store], the graph over an [api.Service], and [Serve], which
// serves a Store to an MCP client. [ReadLines] reads the file of that server.
//
// Invariants: what was acknowledged is durable; writes that wait together become one
// commit; names, types and observations come back as they were given, whatever they
// hold, and are inert as Org; an entity is found by its exact name, and there is one
// of each name.
//
// Elsewhere: what the memory does with the files (package api), and Fovea's own tools
// (internal/mcpserver).
package servermemory
