// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package index

// topHits collects the best hits. With a limit it is a heap with the worst hit on top.
type topHits struct {
	limit int // 0 or less means no limit
	hits  []Hit
}

func (h *topHits) full() bool { return h.limit > 0 && len(h.hits) >= h.limit }

// rejects reports whether no hit with this score can enter, whatever its id.
func (h *topHits) rejects(score float64) bool {
	return h.full() && score < h.hits[0].Score
}

// add adds a hit if it is among the best. O(log limit).
func (h *topHits) add(hit Hit) {
	switch {
	case h.limit <= 0:
		h.hits = append(h.hits, hit)
	case !h.full():
		h.hits = append(h.hits, hit)
		h.siftUp(len(h.hits) - 1)
	case compareHits(hit, h.hits[0]) < 0:
		h.hits[0] = hit
		h.siftDown()
	}
}

// siftUp moves hit i towards the top while it is worse than its parent.
func (h *topHits) siftUp(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if compareHits(h.hits[i], h.hits[parent]) <= 0 {
			return
		}
		h.hits[i], h.hits[parent] = h.hits[parent], h.hits[i]
		i = parent
	}
}

// siftDown moves the top hit below every worse one.
func (h *topHits) siftDown() {
	for i := 0; ; {
		worst := i
		for _, c := range []int{2*i + 1, 2*i + 2} {
			if c < len(h.hits) && compareHits(h.hits[c], h.hits[worst]) > 0 {
				worst = c
			}
		}
		if worst == i {
			return
		}
		h.hits[i], h.hits[worst] = h.hits[worst], h.hits[i]
		i = worst
	}
}

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
