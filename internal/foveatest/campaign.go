// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package foveatest

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// The variables of the environment that reliability campaigns read.
const (
	// CampaignEnv chooses the length of a campaign: "long", else short.
	CampaignEnv = "FOVEA_CAMPAIGN"
	// SeedEnv is the number that a campaign draws from, 1 when it is not set.
	SeedEnv = "FOVEA_SEED"
)

// Campaign is a test that tries many cases, drawn from a seed: a few in each run
// of the tests, as many as it takes on request. The same seed and length give
// the same cases.
type Campaign struct {
	// Rand draws the cases.
	Rand *rand.Rand
	// Seed is what Rand began with.
	Seed uint64

	long bool
}

// NewCampaign reads length and seed from the environment. It fails the test when
// they are malformed, and says which they are when it fails later.
func NewCampaign(tb testing.TB) *Campaign {
	tb.Helper()
	length, seed := os.Getenv(CampaignEnv), uint64(1)
	if length != "" && length != "long" && length != "short" {
		tb.Fatalf("%s=%s is neither long nor short", CampaignEnv, length)
	}
	if text := os.Getenv(SeedEnv); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			tb.Fatalf("%s: %v", SeedEnv, err)
		}
	}
	tb.Cleanup(func() {
		if tb.Failed() {
			tb.Logf("again with %s=%s %s=%d", CampaignEnv, length, SeedEnv, seed)
		}
	})
	return &Campaign{Rand: rand.New(rand.NewPCG(seed, 0x666f766561)), Seed: seed, long: length == "long"}
}

// Length returns how many cases to try: short in each run of the tests, long on
// request.
func (c *Campaign) Length(short, long int) int {
	if c.long {
		return long
	}
	return short
}

// Picks reports whether to try one case of many: each when the campaign is
// long, else one of so many, drawn.
func (c *Campaign) Picks(oneOf int) bool { return c.Rand.IntN(c.Length(oneOf, 1)) == 0 }
