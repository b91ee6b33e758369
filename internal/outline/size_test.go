// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package outline

import (
	"maps"
	"slices"
	"testing"

	"github.com/fovea-memory/fovea/token"
)

// TestOutlinesAreShort bounds the tokens of outlines, as the mean share of those of the files
// that TestDefinitionsEqualThoseOfTheOracle reads.
func TestOutlinesAreShort(t *testing.T) {
	counter, err := token.Exact()
	if err != nil {
		t.Fatal(err)
	}
	shares := map[string][]float64{}
	for _, f := range samples(t) {
		share := float64(counter.Count(Text(f.language, f.src))) / float64(counter.Count(string(f.src)))
		shares[f.language] = append(shares[f.language], share)
	}
	var sum, files float64
	for _, language := range slices.Sorted(maps.Keys(shares)) {
		of := 0.0
		for _, share := range shares[language] {
			of += share
		}
		n := float64(len(shares[language]))
		t.Logf("%-10s %.3f of the tokens", language, of/n)
		sum += of
		files += n
	}
	const bar = .15
	if mean := sum / files; mean > bar {
		t.Errorf("outlines have %.3f of the tokens of their files in the mean, want at most %.2f", mean, bar)
	} else {
		t.Logf("mean %.3f", mean)
	}
}
