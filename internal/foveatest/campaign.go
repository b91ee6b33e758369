// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package foveatest

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// The environment variables of reliability campaigns.
const (
	// CampaignEnv is the length of a campaign: "long", or short by default.
	CampaignEnv = "FOVEA_CAMPAIGN"
	// SeedEnv is the random seed of a campaign, 1 by default.
	SeedEnv = "FOVEA_SEED"
)

// Campaign is a test with many random cases: a few in each run of the tests, all on
// request. The same seed and length give the same cases.
type Campaign struct {
	// Rand generates the cases.
	Rand *rand.Rand
	// Seed is the seed of Rand.
	Seed uint64

	long bool
}

// NewCampaign reads length and seed from the environment. It fails the test if they are
// malformed, and logs them if the test fails later.
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

// Length returns the number of cases: long in a long campaign, otherwise short.
func (c *Campaign) Length(short, long int) int {
	if c.long {
		return long
	}
	return short
}

// Picks reports whether to try a case: always in a long campaign, otherwise at random
// with probability 1/oneOf.
func (c *Campaign) Picks(oneOf int) bool { return c.Rand.IntN(c.Length(oneOf, 1)) == 0 }
