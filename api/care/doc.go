// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package care defines the operations that verify, repair, thin and purge a history, and those
// about files that differ from memory: protected files that changed, and drift.
//
// Its types are requests and answers, such as [VerifyRequest] and [PurgeResponse]. Importing the
// package adds its operations to the table of package api.
//
// Invariants:
//   - All that change what history keeps or what is trusted need a grant for an agent.
//   - Content that a commit records as removed is not damage.
//
// Elsewhere: the work itself is internal/mend, internal/protect and internal/travel; the operations status and head, which report how a
// memory is and return its newest commit, signed, are in package api.
package care
