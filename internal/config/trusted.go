// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/ignore"
)

// Trust says whose notes windows treat like the owner's: those of some agents, and those
// in some files, whoever wrote them.
type Trust struct {
	Agents []string // by name
	Paths  []string // patterns of files, in the syntax of the lists of guard
}

// Covers returns a function that reports whether the notes of an agent in a document, given
// its path below the memex, are trusted; nil if none are.
func (t Trust) Covers() func(agent, path string) bool {
	if len(t.Agents)+len(t.Paths) == 0 {
		return nil
	}
	paths := ignore.Parse(nil, ".", strings.Join(t.Paths, "\n"))
	return func(agent, path string) bool { return slices.Contains(t.Agents, agent) || paths.Covers(path) }
}

// trust parses lists of agents and of patterns.
func (v value) trust() (Trust, error) {
	var t Trust
	table, ok := v.raw.(map[string]any)
	if !ok {
		return t, fmt.Errorf("%v is not a table with agents and paths", v)
	}
	for _, key := range slices.Sorted(maps.Keys(table)) {
		into, check := &t.Agents, author.Check
		switch key {
		case "agents":
		case "paths":
			into, check = &t.Paths, checkPattern
		default:
			return Trust{}, fmt.Errorf("unknown key %q; there are agents and paths", key)
		}
		names, err := list(value.text)(v.of(table[key]))
		if err != nil {
			return Trust{}, fmt.Errorf("%s: %w", key, err)
		}
		for _, name := range names {
			if err := check(name); err != nil {
				return Trust{}, fmt.Errorf("%s: %w", key, err)
			}
		}
		*into = names
	}
	return t, nil
}

// checkPattern returns an error for a pattern that matches nothing.
func checkPattern(pattern string) error {
	if !ignore.Valid(pattern) {
		return fmt.Errorf("%q matches no path", pattern)
	}
	return nil
}
