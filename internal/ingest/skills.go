// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package ingest

import (
	"strings"

	"github.com/fovea-memory/fovea/internal/skill"
	"github.com/fovea-memory/fovea/internal/view"
)

// Skills returns a registry of the skills in a view, which are files below the skills
// folder, and the built-in ones. Skills in locked files are left out; see LockedSkills.
// Nothing in a skill is executed. O(bytes of skills).
func (r *Reader) Skills(v *view.View) *skill.Registry {
	var files []skill.File
	for _, path := range view.StateOf(v).Paths() {
		if r.isSkill(path) {
			text, _ := v.Text(path)
			files = append(files, skill.File{Path: path, Text: text})
		}
	}
	return skill.Read(files)
}

// LockedSkills returns the names of the skills that a guarded view leaves out, by path.
// The names are derived from the paths.
func (r *Reader) LockedSkills(v *view.View) map[string]string {
	out := map[string]string{}
	for path := range view.LockedIn(v) {
		if r.isSkill(path) {
			out[path] = skill.NameOf(path)
		}
	}
	return out
}

// SkillsElsewhere returns the configured skills folder if it is outside the memex, where
// no skills are read; else "".
func (r *Reader) SkillsElsewhere() string {
	if r.scope.Root.SkillsDir() != "" {
		return ""
	}
	return r.scope.Options.SkillsDir
}

// isSkill reports whether the file at a path can be a skill.
func (r *Reader) isSkill(path string) bool {
	dir := r.scope.Root.SkillsDir()
	return dir != "" && strings.HasPrefix(path, dir+"/") && skill.IsSkill(path)
}
