// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package skill

import (
	"slices"
	"strings"
)

// reportCycles reports each cycle among the skills that are not done, once, for
// the member that comes first in Skills. A skill that only depends on a cycle
// is not part of it.
func (r *Registry) reportCycles(done []bool) {
	const (
		unvisited = iota
		onPath
		visited
	)
	states := make([]int, len(r.Skills))
	type step struct{ skill, next int }
	for start := range r.Skills {
		if done[start] || states[start] != unvisited {
			continue
		}
		path := []step{{skill: start}}
		states[start] = onPath
		for len(path) > 0 {
			top := &path[len(path)-1]
			depends := r.Skills[top.skill].Dependencies
			if top.next == len(depends) {
				states[top.skill] = visited
				path = path[:len(path)-1]
				continue
			}
			to, ok := r.byName[depends[top.next]]
			top.next++
			if !ok || done[to] {
				continue
			}
			switch states[to] {
			case unvisited:
				states[to] = onPath
				path = append(path, step{skill: to})
			case onPath:
				at := slices.IndexFunc(path, func(s step) bool { return s.skill == to })
				var cycle []int
				for _, s := range path[at:] {
					cycle = append(cycle, s.skill)
				}
				r.reportCycle(cycle)
			}
		}
	}
}

// reportCycle reports a cycle of skills, each of which depends on the next one.
func (r *Registry) reportCycle(cycle []int) {
	first := slices.Index(cycle, slices.Min(cycle))
	names := make([]string, 0, len(cycle)+1)
	for i := range cycle {
		names = append(names, r.Skills[cycle[(first+i)%len(cycle)]].Name)
	}
	names = append(names, names[0])
	r.addProblem(&r.Skills[cycle[first]], Cycle, "depends on itself: "+strings.Join(names, " -> "))
}
