// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package care defines the operations that prove a history, make a damaged one whole, thin it,
// and take content out of it for good.
//
// Its types are requests and answers, such as [VerifyRequest] and [PurgeResponse]. Importing the
// package adds its operations to the table of package api.
//
// Invariants:
//   - All but verify change what history keeps, so an agent needs a grant for them.
//   - What a commit says was taken away is no damage.
//
// Elsewhere: the work itself is internal/mend; how a memory is, and its newest commit signed, are
// status and head of package api.
package care
