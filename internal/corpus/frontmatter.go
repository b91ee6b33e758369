// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package corpus

import (
	"errors"
	"fmt"
	"iter"
	"strings"

	"go.yaml.in/yaml/v4"
)

// MaxBytes is the largest front matter, in bytes.
const MaxBytes = 64 << 10

// Errors of CutFrontMatter and ParseFrontMatter.
var (
	// ErrNone is returned for a text that has no front matter.
	ErrNone = errors.New("no front matter: the file does not start with a line ---, or no line --- ends it")
	// ErrTooLong is returned for front matter above MaxBytes.
	ErrTooLong = fmt.Errorf("the front matter is longer than %d KiB", MaxBytes>>10)
	// ErrAlias is returned for anchors and aliases, which can make a large value of a short text.
	ErrAlias = errors.New("the front matter has an anchor or an alias, which are not supported")
	// ErrNotMapping is returned for front matter that is a list or a single value.
	ErrNotMapping = errors.New("the front matter is not a list of keys with values")
)

// CutFrontMatter returns the text between the first line, ---, and the next line ---, and the text after
// that line. Errors: ErrNone, ErrTooLong. O(front matter).
func CutFrontMatter(source string) (head, body string, err error) {
	source = strings.TrimPrefix(source, "\ufeff")
	first, rest, ok := strings.Cut(source, "\n")
	if !ok || strings.TrimRight(first, " \t\r") != "---" {
		return "", source, ErrNone
	}
	size := 0
	for line := range strings.Lines(rest) {
		if strings.TrimRight(line, " \t\r\n") == "---" {
			return rest[:size], rest[size+len(line):], nil
		}
		if size += len(line); size > MaxBytes {
			return "", source, ErrTooLong
		}
	}
	return "", source, ErrNone
}

// ParseFrontMatter parses front matter into the node of its mapping; without text, the mapping has no pairs. It
// rejects aliases before they are expanded. Errors: ErrAlias, ErrNotMapping, or an error of YAML on one line.
func ParseFrontMatter(head string) (*yaml.Node, error) {
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
			return nil, ErrAlias
		}
		open = append(open, n.Content...)
	}
	if doc.Content[0].Kind != yaml.MappingNode {
		return nil, ErrNotMapping
	}
	return doc.Content[0], nil
}

// FrontMatterPairs yields the scalar keys of a mapping with their values, in order.
func FrontMatterPairs(m *yaml.Node) iter.Seq2[string, *yaml.Node] {
	return func(yield func(string, *yaml.Node) bool) {
		for i := 0; i+1 < len(m.Content); i += 2 {
			if m.Content[i].Kind == yaml.ScalarNode && !yield(m.Content[i].Value, m.Content[i+1]) {
				return
			}
		}
	}
}
