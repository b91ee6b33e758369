// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package skill

import (
	"strconv"
	"strings"

	"github.com/fovea-memory/fovea/org"
)

// Properties of the file drawer of an Org skill.
const (
	propertyPriority = "SKILL_PRIORITY"
	propertyTriggers = "SKILL_TRIGGERS"
	propertyDepends  = "SKILL_DEPENDS"
)

// readOrg reads the metadata of an Org file and returns the problems found. If
// a property occurs twice the last line wins; KEY+ appends to the lines before
// it.
func readOrg(f File) (Skill, []string) {
	doc := org.Format{}.Document(f.Path, f.Text, nil)
	if doc == nil {
		return Skill{Name: NameOf(f.Path), Path: f.Path, Format: Org, Text: f.Text}, []string{org.Format{}.KeptWhole(f.Text)}
	}
	s := Skill{Name: NameOf(f.Path), Path: f.Path, Format: Org, Description: doc.Title, Text: f.Text}
	for _, k := range doc.Keywords {
		if strings.EqualFold(k.Key, "DESCRIPTION") && strings.TrimSpace(k.Value) != "" {
			s.Description = strings.TrimSpace(k.Value)
			break
		}
	}
	var problems []string
	for _, p := range doc.Properties {
		switch key := strings.ToUpper(strings.TrimSuffix(p.Key, "+")); key {
		case propertyPriority:
			n, err := strconv.Atoi(strings.TrimSpace(p.Value))
			if err != nil {
				problems = append(problems, notIntegerMessage(key, p.Value))
				continue
			}
			s.Priority = n
		case propertyTriggers:
			s.Triggers = append(inherited(s.Triggers, p.Key), words(p.Value)...)
		case propertyDepends:
			s.Dependencies = append(inherited(s.Dependencies, p.Key), words(p.Value)...)
		}
	}
	return s, problems
}

// inherited returns the values of the lines above if key ends in +, else nil.
func inherited(list []string, key string) []string {
	if strings.HasSuffix(key, "+") {
		return list
	}
	return nil
}

func notIntegerMessage(key, value string) string {
	return key + " is not a whole number: " + strconv.Quote(value)
}
