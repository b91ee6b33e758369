// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package agents defines the operations by which agents share a memory: who they are,
// messages, tasks, and the review of what they propose.
//
// Its types are requests and answers, such as [ClaimRequest]; [Message], [Task] and [Proposal]
// are those of the packages that keep them. Importing the package adds its operations to the
// table of package api.
//
// Invariants:
//   - No answer names a node that the caller may not see.
//   - A proposal is carried out by the owner alone, in the name of its agent.
//
// Elsewhere: messages and tasks are kept by internal/hive, proposals by internal/hive; what
// an agent may ask for is decided by package api/trust; working memory is in package api.
package agents
