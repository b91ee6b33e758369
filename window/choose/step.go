// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package choose

// step is an upgrade of one candidate.
type step struct {
	gain float64 // per estimated token
	i    int32
	from Level
	to   Level
}

// betterStep reports whether a is taken before b; ties are broken by index.
func betterStep(a, b step) bool {
	if a.gain != b.gain {
		return a.gain > b.gain
	}
	return a.i < b.i
}

// compareSteps orders steps as betterStep does.
func compareSteps(a, b step) int {
	switch {
	case a.gain > b.gain:
		return -1
	case a.gain < b.gain:
		return 1
	}
	return int(a.i) - int(b.i)
}

// levelValues is the worth of each level as a share of the full node: a convention
// fixed together with the cross-reference measurement that uses it.
var levelValues = [...]float64{Absent: 0, Title: 0.2, Snippet: 0.5, Full: 1}

// Worth is the value of a level as a share of that of the full node.
func Worth(level Level) float64 { return levelValues[level] }
