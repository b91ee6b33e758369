// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package config

import (
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/internal/ignore"
)

// Trust says whose notes windows treat like the owner's: those of some agents, and those
// in some files, whoever wrote them.
type Trust struct {
	Agents []string `key:"agents" as:"agents"`  // by name
	Paths  []string `key:"paths" as:"patterns"` // patterns of files, in the syntax of the lists of guard
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
