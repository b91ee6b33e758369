// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package review keeps the changes that agents propose until the owner decides about them.
//
// A [Proposal] is one request that an agent made, with what it would change. [Proposals]
// belongs to a session, and keeps each proposal as a document that only its agent sees, so
// history has it and a purge reaches it.
//
// Invariants:
//   - A proposal changes nothing but the session that keeps it.
//   - Each proposal is decided once: [Proposals.Decide] holds off every other decision until
//     it has ended, and a proposal that was decided is gone.
//   - What the owner accepts is what the owner saw: the request names the digest of the node
//     that it changes.
//
// Elsewhere: which writes become proposals is package api/trust; carrying an accepted request
// out is package api; hiding the documents of an agent from others is internal/view.
package review
