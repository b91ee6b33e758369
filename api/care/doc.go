// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package care defines the operations that verify a history, repair a damaged one, thin it, and
// remove content from it for good.
//
// Its types are requests and answers, such as [VerifyRequest] and [PurgeResponse]. Importing the
// package adds its operations to the table of package api.
//
// Invariants:
//   - All but verify change what history keeps, so an agent needs a grant for them.
//   - Content that a commit records as removed is not damage.
//
// Elsewhere: the work itself is internal/mend; the operations status and head, which report how a
// memory is and return its newest commit, signed, are in package api.
package care
