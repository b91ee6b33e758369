// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package house

import (
	"go/token"
	"testing"
)

// contextFile is the one file that puts values into a context: who asks, and for which
// scope. Everything else is an argument.
const contextFile = "author/context.go"

// contextValuesAreInOneFile finds the other files that do.
func contextValuesAreInOneFile(sources []*source) []breach {
	var found []breach
	for _, s := range shipped(sources) {
		s.uses("context", func(name string, pos token.Pos) {
			if name == "WithValue" && s.path != contextFile {
				found = append(found, breach{s.path, s.at(pos, "only %s calls context.WithValue; take the value as an argument", contextFile)})
			}
		})
	}
	return found
}

func TestContextValuesAreInOneFile(t *testing.T) {
	holdButDebts(t, "context values", contextValuesAreInOneFile)
}

func TestContextRulesCatch(t *testing.T) {
	const text = "package p\nimport ctx \"context\"\nvar _ = ctx.WithValue"
	for path, want := range map[string]string{
		contextFile: "", "api/a.go": "api/a.go:3: only", "api/a_test.go": "", "internal/foveatest/a.go": "",
	} {
		catches(t, asRule(contextValuesAreInOneFile), map[string]string{path: text}, want)
	}
	catches(t, asRule(contextValuesAreInOneFile), map[string]string{"node/a.go": "package node\nimport \"context\"\nvar _ = context.WithCancel"}, "")
}
