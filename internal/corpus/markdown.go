// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package corpus

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/fovea-memory/fovea/org"
)

// readMarkdown reads the front matter of a SKILL.md and returns the problems
// found. priority, triggers and depends may also be keys of metadata, where
// other tools keep theirs.
func readMarkdown(f SkillFile) (Skill, []string) {
	s := Skill{Name: SkillName(f.Path), Path: f.Path, Format: Markdown, Text: f.Text}
	head, _, err := CutFrontMatter(f.Text)
	if err != nil {
		return s, []string{err.Error()}
	}
	top, err := ParseFrontMatter(head)
	if err != nil {
		return s, []string{err.Error()}
	}
	var problems []string
	set := func(key string, v *yaml.Node) {
		if err := s.setField(key, v); err != nil {
			problems = append(problems, err.Error())
		}
	}
	for key, v := range FrontMatterPairs(top) {
		if key == "metadata" && v.Kind == yaml.MappingNode {
			for key, v := range FrontMatterPairs(v) {
				if key == "priority" || key == "triggers" || key == "depends" {
					set(key, v)
				}
			}
			continue
		}
		set(key, v)
	}
	return s, problems
}

// setField sets the field for a key of the front matter. It ignores keys of
// other tools.
func (s *Skill) setField(key string, v *yaml.Node) (err error) {
	switch key {
	case "name":
		err = setText(&s.Name, key, v)
	case "description":
		err = setText(&s.Description, key, v)
	case "priority":
		n, aerr := strconv.Atoi(v.Value)
		if v.Kind != yaml.ScalarNode || aerr != nil {
			return errors.New(notIntegerMessage(key, v.Value))
		}
		s.Priority = n
	case "triggers":
		s.Triggers, err = parseList(key, v)
	case "depends":
		s.Dependencies, err = parseList(key, v)
	}
	return err
}

// setText sets a line of text. An empty one leaves *into unchanged.
func setText(into *string, key string, v *yaml.Node) error {
	if v.Kind != yaml.ScalarNode {
		return fmt.Errorf("%s is not a text", key)
	}
	if line := strings.Join(strings.Fields(v.Value), " "); line != "" {
		*into = line
	}
	return nil
}

// parseList parses a list of words, or a text of words.
func parseList(key string, v *yaml.Node) ([]string, error) {
	if v.Kind == yaml.ScalarNode {
		return words(v.Value), nil
	}
	var out []string
	for _, item := range v.Content {
		if v.Kind != yaml.SequenceNode || item.Kind != yaml.ScalarNode {
			return nil, fmt.Errorf("%s is not a list of words", key)
		}
		out = append(out, item.Value)
	}
	return out, nil
}

// Properties of the file drawer of an Org skill.
const (
	propertyPriority = "SKILL_PRIORITY"
	propertyTriggers = "SKILL_TRIGGERS"
	propertyDepends  = "SKILL_DEPENDS"
)

// readOrg reads the metadata of an Org file and returns the problems found. Properties have the
// values that org.Document.Property returns.
func readOrg(f SkillFile) (Skill, []string) {
	doc := org.Format{}.Document(f.Path, f.Text, nil)
	if doc == nil {
		return Skill{Name: SkillName(f.Path), Path: f.Path, Format: Org, Text: f.Text}, []string{org.Format{}.KeptWhole(f.Text)}
	}
	s := Skill{Name: SkillName(f.Path), Path: f.Path, Format: Org, Description: doc.Title, Text: f.Text}
	for _, k := range doc.Keywords {
		if strings.EqualFold(k.Key, "DESCRIPTION") && strings.TrimSpace(k.Value) != "" {
			s.Description = strings.TrimSpace(k.Value)
			break
		}
	}
	if value, ok := doc.Property(-1, propertyTriggers, false); ok {
		s.Triggers = words(value)
	}
	if value, ok := doc.Property(-1, propertyDepends, false); ok {
		s.Dependencies = words(value)
	}
	value, ok := doc.Property(-1, propertyPriority, false)
	n, err := strconv.Atoi(strings.TrimSpace(value))
	if ok && err != nil {
		return s, []string{notIntegerMessage(propertyPriority, value)}
	}
	s.Priority = n
	return s, nil
}

func notIntegerMessage(key, value string) string {
	return key + " is not a whole number: " + strconv.Quote(value)
}
