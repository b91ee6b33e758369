// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package corpus

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/internal/bound"
)

// Registry holds the known skills. It is immutable and safe for concurrent use.
type Registry struct {
	// Skills are sorted by descending priority, then by name.
	Skills []Skill
	// Order lists the names of all skills such that each one follows its
	// dependencies. Skills in cycles, and those that depend on them, come last,
	// in the order of Skills.
	Order []string
	// Problems are sorted by skill, in the order of Skills, then by detection.
	Problems []SkillProblem

	byName map[string]int
}

// Get returns a skill by its name.
func (r *Registry) Get(name string) (Skill, bool) {
	i, ok := r.byName[name]
	if !ok {
		return Skill{}, false
	}
	return r.Skills[i], true
}

// ReadSkills returns the registry of the given files and the built-in skills. Any
// bytes can be read. It takes the time to parse the files and O(n log n) for n
// skills and dependencies.
func ReadSkills(files []SkillFile) *Registry {
	r := &Registry{byName: map[string]int{}}
	found := slices.Clone(builtIn)
	for _, f := range selectSkillFiles(files) {
		read := readOrg
		if path.Base(f.Path) == markdownName {
			read = readMarkdown
		}
		s, details := read(f)
		found = append(found, s)
		for _, detail := range details {
			r.addProblem(&s, Malformed, detail)
		}
	}
	r.addSkills(found)
	r.sortByDependency()
	slices.SortStableFunc(r.Problems, func(a, b SkillProblem) int { return cmp.Compare(r.byName[a.Skill], r.byName[b.Skill]) })
	return r
}

// selectSkillFiles returns the files that are skills, sorted by path. Org files
// in the folder of a SKILL.md belong to that skill and are left out.
func selectSkillFiles(files []SkillFile) []SkillFile {
	folders := map[string]bool{}
	for _, f := range files {
		if path.Base(f.Path) == markdownName {
			folders[path.Dir(f.Path)] = true
		}
	}
	within := func(name string) bool {
		for dir := path.Dir(name); dir != "." && dir != "/"; dir = path.Dir(dir) {
			if folders[dir] && name != dir+"/"+markdownName {
				return true
			}
		}
		return false
	}
	out := slices.DeleteFunc(slices.Clone(files), func(f SkillFile) bool { return !IsSkill(f.Path) || within(f.Path) })
	slices.SortFunc(out, func(a, b SkillFile) int { return strings.Compare(a.Path, b.Path) })
	return out
}

// addSkills adds the first skill of each name and sorts the result.
func (r *Registry) addSkills(found []Skill) {
	bearer := map[string]Skill{}
	for _, s := range found {
		if first, taken := bearer[s.Name]; taken {
			at := cmp.Or(first.Path, "a built-in skill")
			r.addProblem(&s, Duplicate, "the name is already used by "+at)
			continue
		}
		bearer[s.Name] = s
		s.Dependencies = unique(s.Dependencies)
		r.Skills = append(r.Skills, s)
	}
	slices.SortFunc(r.Skills, func(a, b Skill) int {
		return cmp.Or(cmp.Compare(b.Priority, a.Priority), strings.Compare(a.Name, b.Name))
	})
	for i, s := range r.Skills {
		r.byName[s.Name] = i
	}
}

// unique removes duplicate names.
func unique(names []string) []string {
	seen := map[string]bool{}
	return slices.DeleteFunc(names, func(name string) bool {
		duplicate := seen[name]
		seen[name] = true
		return duplicate
	})
}

func (r *Registry) addProblem(s *Skill, kind SkillKind, detail string) {
	r.Problems = append(r.Problems, SkillProblem{s.Name, s.Path, kind, detail})
}

// sortByDependency computes Order: it repeatedly takes the first skill in
// Skills whose dependencies are all done. The remaining skills are in cycles or
// depend on one.
func (r *Registry) sortByDependency() {
	pending := make([]int, len(r.Skills)) // number of dependencies that are not done
	dependents := make([][]int, len(r.Skills))
	for i := range r.Skills {
		s := &r.Skills[i]
		for _, name := range s.Dependencies {
			j, ok := r.byName[name]
			if !ok {
				r.addProblem(s, Missing, fmt.Sprintf("depends on %q, which does not exist", name))
				continue
			}
			pending[i]++
			dependents[j] = append(dependents[j], i)
		}
	}
	ready := bound.Heap[int]{Before: cmp.Less[int]}
	for i, n := range pending {
		if n == 0 {
			ready.Push(i)
		}
	}
	done := make([]bool, len(r.Skills))
	for len(ready.Items) > 0 {
		i := ready.Pop()
		done[i] = true
		r.Order = append(r.Order, r.Skills[i].Name)
		for _, j := range dependents[i] {
			if pending[j]--; pending[j] == 0 {
				ready.Push(j)
			}
		}
	}
	r.reportCycles(done)
	for i := range r.Skills {
		if !done[i] {
			r.Order = append(r.Order, r.Skills[i].Name)
		}
	}
}

// builtIn are the skills that are part of Fovea. Like all skills they are
// documentation only: the memory itself implements what they describe.
var builtIn = []Skill{{
	Name: "state-persistence", Format: BuiltIn, Priority: 100,
	Description: "keeps the memory on disk, quick to open, and makes a checkpoint when asked",
	Triggers:    []string{"heartbeat", "manual-persist"},
	Text: `:PROPERTIES:
:SKILL_PRIORITY: 100
:SKILL_TRIGGERS: heartbeat manual-persist
:END:
#+TITLE: State persistence
#+DESCRIPTION: keeps the memory on disk, quick to open, and makes a checkpoint when asked

Every commit is on the disk before it is acknowledged. At manual-persist Fovea
also writes a checkpoint: an image under a name. At heartbeat it writes an image
without a name if much was written since the last one, which keeps the next
start fast. If nothing has changed, nothing is written.

No model is needed. Other skills receive the same trigger unchanged.
`,
}}

// reportCycles reports each cycle among the skills that are not done, once, for
// the member that comes first in Skills. A skill that only depends on a cycle
// is not part of it.
func (r *Registry) reportCycles(done []bool) {
	const left = -1
	place := make([]int, len(r.Skills)) // in path, from 1
	for skill := range done {
		if done[skill] {
			place[skill] = left
		}
	}
	var path []int
	var visit func(skill int)
	visit = func(skill int) {
		path = append(path, skill)
		place[skill] = len(path)
		for _, name := range r.Skills[skill].Dependencies {
			switch to, ok := r.byName[name]; {
			case !ok:
			case place[to] > 0:
				r.reportCycle(path[place[to]-1:])
			case place[to] == 0:
				visit(to)
			}
		}
		path, place[skill] = path[:len(path)-1], left
	}
	for skill := range r.Skills {
		if place[skill] == 0 {
			visit(skill)
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
