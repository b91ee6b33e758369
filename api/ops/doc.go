// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package ops defines the operations by which agents share a memory, notes are imported from other
// programs and exported to them, and a memory is carried to other places: bundles, remotes, copies.
// It also limits callers to what they may do: agents to their own folder, tasks and commits, readers
// to reading, everybody to the scopes of their token.
//
// Most of its types are requests and answers, such as [ClaimRequest] and [SyncResponse]; [Message],
// [Task] and [Proposal] are those of the package that keeps them. Importing the package adds its
// operations to the table of package api. [Hold] wraps a Service for one grant, [Guarded] for the
// grant that each context carries, and [MayAsk] answers before a request is read. [RecordAction] has
// each action of an agent leave its block in the agent's working memory.
//
// Invariants:
//
//   - An operation that writes and has no admission here needs a grant of the owner, so that one that was
//     overlooked is refused. So do those that carry a memory elsewhere, import and export.
//   - A request is checked as it will be performed; an admission may narrow it, never widen it. Commits are
//     recorded under the holder of the grant, whoever the context names.
//   - No answer names a node that the caller may not see, and neither an answer nor an error holds
//     a key or a passphrase.
//   - Only the owner accepts a proposal; its change is made in the name of its agent. Text of an agent is
//     made inert before it is written.
//   - An import or a merge from another place becomes one commit, which a rollback undoes, or fails as a
//     whole. An import does not overwrite what was changed or removed here.
//   - A block of an action has titles, ids and paths, not the text of notes. A window adds no block, nor
//     does a further call made to answer another one.
//
// Elsewhere: the other operations (package api); messages, tasks and proposals (internal/hive); the
// formats of other programs (internal/foreign); bundles and the log of each machine (internal/place);
// merging, restoring and writing files together (internal/travel); clone, for which no memory exists
// yet (cmd/fovea); who may write which file (internal/scope); tokens (internal/config).
package ops
