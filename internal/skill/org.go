// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package skill

import (
	"strconv"
	"strings"

	"github.com/fovea-memory/fovea/node"
)

// The properties of the file drawer that make the head of an Org skill.
const (
	propertyPriority = "SKILL_PRIORITY"
	propertyTriggers = "SKILL_TRIGGERS"
	propertyDepends  = "SKILL_DEPENDS"
)

// readOrg reads the head of an Org file. Of two lines of one property the last counts;
// one with KEY+ adds to those before it.
func readOrg(f File) (Skill, []string) {
	doc := node.Parse(f.Text, nil)
	if doc == nil {
		return Skill{Name: NameOf(f.Path), Path: f.Path, Format: Org, Text: f.Text}, []string{node.KeptWhole(f.Text)}
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
			s.Depends = append(inherited(s.Depends, p.Key), words(p.Value)...)
		}
	}
	return s, problems
}

// inherited returns what the lines above say, which counts only for a line that adds.
func inherited(list []string, key string) []string {
	if strings.HasSuffix(key, "+") {
		return list
	}
	return nil
}

func notIntegerMessage(key, value string) string {
	return key + " is not a whole number: " + strconv.Quote(value)
}
