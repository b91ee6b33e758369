// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package servermemory replaces the MCP server @modelcontextprotocol/server-memory: nine
// tools over a graph of entities and relations. Org files under agents/server-memory/ of a
// memex hold the graph, which all clients share. To switch from that server, change one line
// of a configuration.
//
// The main types are [Store], the graph over an [api.Service], and [Serve], which serves a
// Store to an MCP client. [ReadLines] reads the file of that server.
//
// Invariants: acknowledged changes are durable; each step of one is an ordinary operation of
// the memory; names, types and observations of any content are returned as given and are inert as Org;
// an entity is found by its exact name, which is unique.
//
// Elsewhere: what the memory does with the files (package api), and Fovea's own tools
// (internal/mcpserver).
package servermemory
