// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

// step is an upgrade of one candidate.
type step struct {
	gain float64 // per estimated token
	i    int32
	from Level
	to   Level
}

// stepHeap is a heap with the best step on top; ties are broken by index.
type stepHeap []step

// init establishes the heap order.
func (h stepHeap) init() {
	for i := len(h)/2 - 1; i >= 0; i-- {
		h.down(i)
	}
}

func (h *stepHeap) push(step step) {
	*h = append(*h, step)
	for i := len(*h) - 1; i > 0 && h.better(i, (i-1)/2); i = (i - 1) / 2 {
		(*h)[i], (*h)[(i-1)/2] = (*h)[(i-1)/2], (*h)[i]
	}
}

// pop removes and returns the best step.
func (h *stepHeap) pop() step {
	best, last := (*h)[0], len(*h)-1
	(*h)[0] = (*h)[last]
	*h = (*h)[:last]
	h.down(0)
	return best
}

func (h stepHeap) down(i int) {
	for {
		best := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(h); child++ {
			if h.better(child, best) {
				best = child
			}
		}
		if best == i {
			return
		}
		h[i], h[best] = h[best], h[i]
		i = best
	}
}

func (h stepHeap) better(a, b int) bool {
	if h[a].gain != h[b].gain {
		return h[a].gain > h[b].gain
	}
	return h[a].i < h[b].i
}
