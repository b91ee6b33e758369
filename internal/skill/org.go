// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package skill

import (
	"strconv"
	"strings"

	"github.com/fovea-memory/fovea/org"
)

// The properties of the file drawer that make the head of an Org skill.
const (
	propertyPriority = "SKILL_PRIORITY"
	propertyTriggers = "SKILL_TRIGGERS"
	propertyDepends  = "SKILL_DEPENDS"
)

// readOrg reads the head of an Org file. A property that stands more than once,
// or with KEY+, adds to the one before.
func readOrg(f File) (Skill, []string) {
	doc := org.Parse(f.Text, nil)
	s := Skill{Name: NameOf(f.Path), Path: f.Path, Format: Org, Description: doc.Title, Text: f.Text}
	for _, k := range doc.Keywords {
		if strings.EqualFold(k.Key, "DESCRIPTION") && strings.TrimSpace(k.Value) != "" {
			s.Description = strings.TrimSpace(k.Value)
			break
		}
	}
	var wrong []string
	for _, p := range doc.Properties {
		switch key := strings.ToUpper(strings.TrimSuffix(p.Key, "+")); key {
		case propertyPriority:
			n, err := strconv.Atoi(strings.TrimSpace(p.Value))
			if err != nil {
				wrong = append(wrong, notWhole(key, p.Value))
				continue
			}
			s.Priority = n
		case propertyTriggers:
			s.Triggers = append(s.Triggers, words(p.Value)...)
		case propertyDepends:
			s.Depends = append(s.Depends, words(p.Value)...)
		}
	}
	return s, wrong
}

func notWhole(key, value string) string {
	return key + " is not a whole number: " + strconv.Quote(value)
}
