// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package trust holds callers to what they may do: agents to their own folder, tasks and
// commits, readers to reading, everybody to the scopes of their token.
//
// [Hold] wraps a Service for one grant, [Guarded] for the grant that each context carries,
// and [MayAsk] answers before a request is read. The owner passes. [RecordAction] has each action of
// an agent leave its block in the agent's working memory.
//
// Invariants:
//
//   - An operation that writes and has no admission here needs a grant of the owner: what
//     is forgotten is refused.
//   - A request is checked as it will be carried out; an admission may narrow it, never
//     widen it.
//   - Text of an agent is made inert before it goes on.
//   - What is done is recorded as by the holder of the grant, whoever the context names.
//   - What an agent did is told by titles, ids and paths, not by the text of notes. A window leaves
//     no block, nor does a call that only the answer to another one takes.
//
// Elsewhere: the operations and their requests (package api), who may write which file when
// memory does it (internal/scope), tokens (package daemon), the rights as a type (package
// author).
package trust
