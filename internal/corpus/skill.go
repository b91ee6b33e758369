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

// File is a file of the skills folder. Path is relative to that folder or to
// the memex, with slashes; names and problems use it.
type SkillFile struct{ Path, Text string }

// Skill is a skill with the metadata that it declares.
type Skill struct {
	Name         string   `json:"name" jsonschema:"what it is called"` // Org: the file's name without ".org"; Markdown: the declared name, else the folder's name
	Priority     int      `json:"priority" jsonschema:"the higher, the earlier"`
	Dependencies []string `json:"dependencies" jsonschema:"names of the skills that it needs"` // without duplicates
	Triggers     []string `json:"triggers" jsonschema:"the events that it answers to"`         // as written
	Description  string   `json:"description,omitempty" jsonschema:"what it is good for"`
	Format       Format   `json:"format" jsonschema:"org, markdown, built-in, or locked"`
	Path         string   `json:"path,omitempty" jsonschema:"the file, below the memex or $SKILLS_DIR; none for one that is built in"`
	Unreviewed   bool     `json:"unreviewed,omitempty" jsonschema:"somebody else changed its file, and its owner has not looked"` // set by package api
	Text         string   `json:"-"`                                                                                              // the whole source, unchanged
}

// Problem describes what is wrong with a skill.
type SkillProblem struct {
	Skill  string // name of the skill
	Path   string // of its file; "" for a built-in skill
	Kind   SkillKind
	Detail string // one line for the user
}

// Kind is the kind of a Problem.
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
// can be a skill. It does not know the other files; Read excludes Org files in
// the folder of a SKILL.md.
func IsSkill(name string) bool {
	return strings.EqualFold(path.Ext(name), orgSuffix) || path.Base(name) == markdownName
}

// SkillName returns the name that a skill has by its path alone.
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
