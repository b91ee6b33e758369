// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"strings"

	"github.com/fovea-memory/fovea/internal/skill"
)

// Skills returns the registry of the skills that a view holds, below the folder of
// skills, and of the built-in ones. What is locked down is not among them, see
// LockedSkills. Nothing in a skill is executed. O(bytes of skills).
func (m *Memory) Skills(v *View) *skill.Registry {
	var files []skill.File
	for _, path := range v.state.Paths() {
		if m.isSkill(path) {
			text, _ := v.Text(path)
			files = append(files, skill.File{Path: path, Text: text})
		}
	}
	return skill.Read(files)
}

// LockedSkills lists, by path, the names that files of skills have that a guarded
// view is without: those that their paths give.
func (m *Memory) LockedSkills(v *View) map[string]string {
	out := map[string]string{}
	for path := range v.locked {
		if m.isSkill(path) {
			out[path] = skill.NameOf(path)
		}
	}
	return out
}

// SkillsElsewhere returns the folder of skills that was asked for and lies outside
// the memex, from where no skills are read; "" for none.
func (m *Memory) SkillsElsewhere() string {
	if m.root.SkillsDir() != "" {
		return ""
	}
	return m.opts.SkillsDir
}

// isSkill reports whether a file of this path can be a skill.
func (m *Memory) isSkill(path string) bool {
	dir := m.root.SkillsDir()
	return dir != "" && strings.HasPrefix(path, dir+"/") && skill.IsSkill(path)
}
