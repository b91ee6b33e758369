// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package index

// nthBestScore returns the n-th highest score of the touched documents, of which there
// must be more than n. O(touched).
func (s *scratch) nthBestScore(n int) float64 {
	s.values = s.values[:0]
	for _, slot := range s.touched {
		s.values = append(s.values, s.scores[slot])
	}
	return nth(s.values, n-1)
}

// nth returns the element at index n of values in falling order, and reorders values.
// O(len(values)) on average (Hoare 1961).
func nth(values []float64, n int) float64 {
	for len(values) > 1 {
		a, b, c := values[0], values[len(values)/2], values[len(values)-1]
		pivot := max(min(a, b), min(max(a, b), c))
		i, j := 0, len(values)-1
		for i <= j {
			for values[i] > pivot {
				i++
			}
			for values[j] < pivot {
				j--
			}
			if i <= j {
				values[i], values[j] = values[j], values[i]
				i, j = i+1, j-1
			}
		}
		switch {
		case n <= j:
			values = values[:j+1]
		case n >= i:
			values, n = values[i:], n-i
		default:
			return pivot
		}
	}
	return values[0]
}
