// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package trust holds callers to what they may do: agents to their own folder, tasks and
// commits, readers to reading, everybody to the scopes of their token.
//
// [Hold] wraps a Service for one grant, [Guarded] for the grant that each context carries,
// and [MayAsk] answers before a request is read. The owner passes.
//
// Invariants:
//
//   - An operation that writes and has no admission here needs a grant of the owner: what
//     is forgotten is refused.
//   - A request is checked as it will be carried out; an admission may narrow it, never
//     widen it.
//   - Text of an agent is made inert before it goes on.
//   - What is done is recorded as by the holder of the grant, whoever the context names.
//
// Elsewhere: the operations and their requests (package api), who may write which file when
// memory does it (package rights), tokens (package daemon), the rights as a type (package
// author).
package trust
