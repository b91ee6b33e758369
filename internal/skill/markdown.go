// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package skill

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// maxFrontMatter is the maximum size of the front matter of a SKILL.md in
// bytes.
const maxFrontMatter = 64 << 10

var (
	errNoFrontMatter = errors.New("no front matter: the file does not start with a line ---, or no line --- ends it")
	errTooLong       = fmt.Errorf("the front matter is longer than %d KiB", maxFrontMatter>>10)
	errAlias         = errors.New("the front matter has an anchor or an alias, which are not supported")
	errNotMapping    = errors.New("the front matter is not a list of keys with values")
)

// readMarkdown reads the front matter of a SKILL.md and returns the problems
// found. priority, triggers and depends may also be keys of metadata, where
// other tools keep theirs.
func readMarkdown(f File) (Skill, []string) {
	s := Skill{Name: NameOf(f.Path), Path: f.Path, Format: Markdown, Text: f.Text}
	head, err := frontMatter(f.Text)
	if err != nil {
		return s, []string{err.Error()}
	}
	top, err := mapping(head)
	if err != nil {
		return s, []string{err.Error()}
	}
	var problems []string
	set := func(key string, v *yaml.Node) {
		if err := s.setField(key, v); err != nil {
			problems = append(problems, err.Error())
		}
	}
	for key, v := range pairs(top) {
		if key == "metadata" && v.Kind == yaml.MappingNode {
			for key, v := range pairs(v) {
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

// frontMatter returns the text between the first line, ---, and the next line
// ---.
func frontMatter(source string) (string, error) {
	source = strings.TrimPrefix(source, "\ufeff")
	first, rest, ok := strings.Cut(source, "\n")
	if !ok || strings.TrimRight(first, " \t\r") != "---" {
		return "", errNoFrontMatter
	}
	size := 0
	for line := range strings.Lines(rest) {
		if strings.TrimRight(line, " \t\r\n") == "---" {
			return rest[:size], nil
		}
		if size += len(line); size > maxFrontMatter {
			return "", errTooLong
		}
	}
	return "", errNoFrontMatter
}

// mapping parses the front matter. It rejects aliases before they are expanded,
// so a short text cannot become a large value.
func mapping(head string) (*yaml.Node, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(head), &doc); err != nil {
		return nil, fmt.Errorf("front matter: %s", strings.Join(strings.Fields(strings.TrimPrefix(err.Error(), "yaml: ")), " "))
	}
	if len(doc.Content) == 0 {
		return &yaml.Node{}, nil
	}
	open := []*yaml.Node{&doc}
	for len(open) > 0 {
		n := open[len(open)-1]
		open = open[:len(open)-1]
		if n.Kind == yaml.AliasNode || n.Anchor != "" {
			return nil, errAlias
		}
		open = append(open, n.Content...)
	}
	if doc.Content[0].Kind != yaml.MappingNode {
		return nil, errNotMapping
	}
	return doc.Content[0], nil
}

// pairs yields the scalar keys of a mapping with their values.
func pairs(m *yaml.Node) func(yield func(string, *yaml.Node) bool) {
	return func(yield func(string, *yaml.Node) bool) {
		for i := 0; i+1 < len(m.Content); i += 2 {
			if m.Content[i].Kind == yaml.ScalarNode && !yield(m.Content[i].Value, m.Content[i+1]) {
				return
			}
		}
	}
}
