// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package corpus

import (
	"path"
	"strings"
)

// Format is the format of a skill.
type Format string

// The formats.
const (
	Org      Format = "org"      // an Org file
	Markdown Format = "markdown" // a folder with a file SKILL.md
	BuiltIn  Format = "built-in" // part of Fovea
)

// SkillFile is a file of the skills folder. Path is relative to that folder or to
// the memex, with slashes; names and problems use it.
type SkillFile struct{ Path, Text string }

// Skill is a skill with the metadata that it declares.
type Skill struct {
	Name         string   `json:"name" jsonschema:"name of the skill"` // Org: the file's name without ".org"; Markdown: the declared name, else the folder's name
	Priority     int      `json:"priority" jsonschema:"the higher, the earlier"`
	Dependencies []string `json:"dependencies" jsonschema:"names of the skills that it needs"` // without duplicates
	Triggers     []string `json:"triggers" jsonschema:"the events that trigger it"`            // as written
	Description  string   `json:"description,omitempty" jsonschema:"what the skill does"`
	Format       Format   `json:"format" jsonschema:"org, markdown, built-in, or locked"`
	Path         string   `json:"path,omitempty" jsonschema:"the file, below the memex or $SKILLS_DIR; none for a built-in skill"`
	Unreviewed   bool     `json:"unreviewed,omitempty" jsonschema:"its file was changed outside Fovea and not reviewed"` // set by package api
	Text         string   `json:"-"`                                                                                     // the whole source, unchanged
}

// SkillProblem is a problem with a skill.
type SkillProblem struct {
	Skill  string // name of the skill
	Path   string // of its file; "" for a built-in skill
	Kind   SkillKind
	Detail string // one line for the user
}

// SkillKind is the kind of a SkillProblem.
type SkillKind string

// The kinds of problems.
const (
	Malformed      SkillKind = "malformed" // its metadata cannot be parsed
	Duplicate      SkillKind = "doubled"   // another skill has the name; this one is left out
	Missing        SkillKind = "missing"   // it depends on a skill that does not exist
	Cycle          SkillKind = "cycle"     // it depends on itself through others
	SkillElsewhere SkillKind = "elsewhere" // it, or its folder, is outside the memex and cannot be read
)

// orgSuffix is the suffix of an Org skill.
const orgSuffix = ".org"

// markdownName is the name of the file that makes a folder a skill.
const markdownName = "SKILL.md"

// IsSkill reports whether a file with this path, relative to the skills folder,
// can be a skill. It ignores the other files; ReadSkills excludes Org files in the
// folder of a SKILL.md.
func IsSkill(name string) bool {
	return strings.EqualFold(path.Ext(name), orgSuffix) || path.Base(name) == markdownName
}

// SkillName returns the name of a skill by its path, which its file may override.
func SkillName(name string) string {
	if path.Base(name) == markdownName {
		return path.Base(path.Dir(name))
	}
	if base := path.Base(name); strings.EqualFold(path.Ext(base), orgSuffix) {
		return base[:len(base)-len(orgSuffix)]
	}
	return path.Base(name)
}

// words splits a list at blanks and commas.
func words(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return r == ' ' || r == '\t' || r == ',' || r == ';' })
}
