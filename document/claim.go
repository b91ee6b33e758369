// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package document

import "strconv"

// The properties of a task that an agent has claimed. They change together: who holds it, the
// number of the claim, and until when, in RFC 3339.
const (
	ClaimedBy  = "CLAIMED_BY"
	ClaimKey   = "CLAIM"
	LeaseUntil = "LEASE_UNTIL"
)

// maxClaim is the largest number that JSON readers keep exact.
const maxClaim = 1<<53 - 1

// ClaimNumber reads the number of a claim, 0 for anything else.
func ClaimNumber(text string) uint64 {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil || n > maxClaim {
		return 0
	}
	return n
}
