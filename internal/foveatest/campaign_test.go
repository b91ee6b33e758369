// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package foveatest

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCampaign(t *testing.T) {
	draw := func(length, seed string) (all []int, picked int) {
		t.Setenv(CampaignEnv, length)
		t.Setenv(SeedEnv, seed)
		c := NewCampaign(t)
		for range c.Length(100, 200) {
			all = append(all, c.Rand.IntN(1000))
			if c.Picks(10) {
				picked++
			}
		}
		return all, picked
	}
	short, few := draw("", "")
	again, _ := draw("short", "1")
	other, _ := draw("", "2")
	long, each := draw("long", "1")
	if diff := cmp.Diff(short, again); diff != "" {
		t.Errorf("the same seed (-first +again):\n%s", diff)
	}
	if cmp.Equal(short, other) {
		t.Error("another seed draws the same")
	}
	if len(short) != 100 || few == 0 || few > 30 {
		t.Errorf("short: %d cases, %d picked", len(short), few)
	}
	if len(long) != 200 || each != 200 {
		t.Errorf("long: %d cases, %d picked", len(long), each)
	}
}
