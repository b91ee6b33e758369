// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package outline

import (
	"testing"

	"github.com/fovea-memory/fovea/token"
)

// TestOutlinesAreShort bounds the tokens of outlines by those of the files.
func TestOutlinesAreShort(t *testing.T) {
	counter, err := token.Exact()
	if err != nil {
		t.Fatal(err)
	}
	shares := map[string]float64{}
	count := map[string]float64{}
	for _, f := range samples(t) {
		share := float64(counter.Count(Text(f.language, f.src))) / float64(counter.Count(string(f.src)))
		shares[f.language] += share
		count[f.language]++
		if *misses == f.language && share > .15 {
			t.Logf("%.3f %s", share, f.path)
		}
	}
	sum := 0.0
	for language := range shares {
		mean := shares[language] / count[language]
		sum += mean
		t.Logf("%-10s %.3f", language, mean)
	}
	t.Logf("%.3f", sum/float64(len(shares)))
}
