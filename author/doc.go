// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package author identifies the author of a change: the owner of the memory, a saved
// file, a named agent, or Fovea itself.
//
// [Author] is a kind and a name; two authors are equal if both are equal. A kind is never
// derived from a name, so no name makes an agent the owner. [Parse] and [Author.String]
// convert to and from the only printed form. [Check] decides which names an agent may
// have, and [ForClient] derives such a name from the name of an MCP client.
//
// [Actor] combines an author with its rights. [Grant] is what the owner allows a caller, and
// [Scopes] what a request sees; an Actor follows from a Grant. Contexts carry these three, by
// the functions in context.go, and nothing else.
//
// Elsewhere: package api checks each call against the grant of its caller; internal/graph encodes
// the authors of commits.
package author
