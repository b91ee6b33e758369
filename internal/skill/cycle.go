// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package skill

import (
	"container/heap"
	"slices"
	"strings"
)

// cycles tells of each circle among the skills that are not done, once, at the
// skill of it that stands first. A skill that only waits for a circle is not in it.
func (r *Registry) cycles(done []bool) {
	const (
		unseen = iota
		onTrail
		seen
	)
	mark := make([]int, len(r.Skills))
	type step struct{ skill, next int }
	for start := range r.Skills {
		if done[start] || mark[start] != unseen {
			continue
		}
		trail := []step{{skill: start}}
		mark[start] = onTrail
		for len(trail) > 0 {
			top := &trail[len(trail)-1]
			depends := r.Skills[top.skill].Depends
			if top.next == len(depends) {
				mark[top.skill] = seen
				trail = trail[:len(trail)-1]
				continue
			}
			to, ok := r.byName[depends[top.next]]
			top.next++
			if !ok || done[to] {
				continue
			}
			switch mark[to] {
			case unseen:
				mark[to] = onTrail
				trail = append(trail, step{skill: to})
			case onTrail:
				at := slices.IndexFunc(trail, func(s step) bool { return s.skill == to })
				var ring []int
				for _, s := range trail[at:] {
					ring = append(ring, s.skill)
				}
				r.circle(ring)
			}
		}
	}
}

// circle tells of skills that depend on each other, each on the next one.
func (r *Registry) circle(ring []int) {
	first := slices.Index(ring, slices.Min(ring))
	names := make([]string, 0, len(ring)+1)
	for i := range ring {
		names = append(names, r.Skills[ring[(first+i)%len(ring)]].Name)
	}
	names = append(names, names[0])
	r.problem(&r.Skills[ring[first]], Cycle, "depends on itself: "+strings.Join(names, " -> "))
}

// queue gives the smallest number first.
type queue []int

func (q *queue) push(i int)        { heap.Push(q, i) }
func (q *queue) pop() int          { return heap.Pop(q).(int) }
func (q queue) Len() int           { return len(q) }
func (q queue) Less(i, j int) bool { return q[i] < q[j] }
func (q queue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)        { *q = append(*q, x.(int)) }
func (q *queue) Pop() (x any) {
	old := *q
	x = old[len(old)-1]
	*q = old[:len(old)-1]
	return x
}
