// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package learn

import "math"

// How far from the mean kind of the useful files a file may be to count as one of that kind.
// Without a limit, feedback on chats costs talks in the same folder 20 points of R@10.
const (
	kindErrors = 2.5 // standard deviations
	minKind    = .2
)

// kind is the range of kinds of the files that something useful stood in.
type kind struct{ count, mean, square float64 }

func (k *kind) add(of float64) {
	of = bounded(of, maxScore)
	k.count++
	k.mean += (of - k.mean) / k.count
	k.square += (of*of - k.square) / k.count
}

// holds reports whether a file is of the kind; without anything useful any file is.
func (k *kind) holds(of float64) bool {
	deviation := math.Sqrt(max(0, k.square-k.mean*k.mean))
	return k.count == 0 || math.Abs(bounded(of, maxScore)-k.mean) <= kindErrors*deviation+minKind
}

// kindsOf returns the kinds of what events call useful, by region.
func kindsOf(events []Event) map[string]*kind {
	kinds := map[string]*kind{}
	for i := range events {
		for _, s := range events[i].Shown {
			if s.Verdict != Useful {
				continue
			}
			if kinds[s.Region] == nil {
				kinds[s.Region] = &kind{}
			}
			kinds[s.Region].add(s.Kind)
		}
	}
	return kinds
}
