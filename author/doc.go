// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package author says who made a change: the owner of the memory, a file that
// somebody saved, an agent of some name, or Fovea itself.
//
// Author is a kind and a name, and two authors are the same only where both are
// equal. Kinds are never read from a name: no name makes an agent the owner. Parse
// and Author.String are the one printed form, and lead back to each other. Check
// decides which names an agent may bear; ForClient makes such a name of what an MCP
// client calls itself.
//
// Actor is an author with what it may do and the key of its operation, in one value.
//
// Elsewhere: the rights of each agent, which package api decides, and how commits store
// an author, which is in internal/graph.
package author
