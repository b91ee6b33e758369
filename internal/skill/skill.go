// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package skill

import (
	"path"
	"strings"
)

// Format is how a skill is written.
type Format string

// The formats.
const (
	Org      Format = "org"      // an Org file
	Markdown Format = "markdown" // a folder with a file SKILL.md
	BuiltIn  Format = "built-in" // part of Fovea
)

// File is a file of the folder of skills. Path is the one that it is known by,
// with slashes.
type File struct{ Path, Text string }

// Skill is what the head of a skill says.
type Skill struct {
	Name        string // Org: the file's name without ".org"; Markdown: as it says, else its folder's name
	Path        string // of its file, "" for a built-in one
	Format      Format
	Description string
	Priority    int      // higher goes first; 0 where none is given
	Triggers    []string // what it answers to, as given
	Depends     []string // names of skills, each once
	Text        string   // the whole source, as it is
}

// Problem is what is wrong with a skill.
type Problem struct {
	Skill  string // its name
	Path   string // of its file, "" for a built-in one
	Kind   Kind
	Detail string // one line for a person
}

// Kind classes a Problem.
type Kind string

// The kinds of problems.
const (
	Malformed Kind = "malformed" // its head cannot be read as meant
	Duplicate Kind = "doubled"   // another skill bears the name; this one is left out
	Missing   Kind = "missing"   // it depends on a skill that is not there
	Cycle     Kind = "cycle"     // it depends on itself, through others
)

// orgSuffix is that of an Org skill.
const orgSuffix = ".org"

// markdownName is the file that makes a folder a skill.
const markdownName = "SKILL.md"

// IsSkill reports whether a file of this path, below the folder of skills, can be
// one. An Org file within the folder of a SKILL.md is not, which is for Read to
// see.
func IsSkill(name string) bool {
	return strings.EqualFold(path.Ext(name), orgSuffix) || path.Base(name) == markdownName
}

// NameOf returns the name that the path alone gives a skill.
func NameOf(name string) string {
	if path.Base(name) == markdownName {
		return path.Base(path.Dir(name))
	}
	if base := path.Base(name); strings.EqualFold(path.Ext(base), orgSuffix) {
		return base[:len(base)-len(orgSuffix)]
	}
	return path.Base(name)
}

// words splits a list as drawers have it: at blanks and commas.
func words(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return r == ' ' || r == '\t' || r == ',' || r == ';' })
}
