// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package house

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	// installer matches what puts something on a machine.
	installer = regexp.MustCompile(`\.ci/(clients|kubo|newest|node|npm|ollama|parts|sources|test-parts|versitygw)\b|` +
		`\b(apt|apt-get|brew|curl|docker|dpkg|npm|npx|pip|sudo|wget)\b|\bgo (get|install)\b`)
	// testRecipe matches the recipe of make test.
	testRecipe = regexp.MustCompile(`(?m)^test:.*\n((?:\t.*\n)+)`)
)

// installs returns the lines of a script, comments apart, that may install something.
func installs(script string) (lines []string) {
	for line := range strings.Lines(script) {
		if line = strings.TrimSpace(line); !strings.HasPrefix(line, "#") && installer.MatchString(line) {
			lines = append(lines, line)
		}
	}
	return lines
}

// TestMakeTestInstallsNothing: make test is .ci/test alone, which calls nothing that installs and
// leaves out all parts, and tests run no program by its name but those of building and of any
// Unix.
func TestMakeTestInstallsNothing(t *testing.T) {
	makefile, err := os.ReadFile("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	recipe := testRecipe.FindStringSubmatch(string(makefile))
	if recipe == nil || recipe[1] != "\t./.ci/test\n" {
		t.Errorf("make test is %q, want ./.ci/test alone", recipe)
	}
	script, err := os.ReadFile(".ci/test")
	if err != nil {
		t.Fatal(err)
	}
	if got := installs(string(script)); len(got) > 0 {
		t.Errorf(".ci/test may install something: %q", got)
	}
	if !strings.Contains(string(script), "export FOVEA_PARTS='' ") {
		t.Error(".ci/test does not leave out the parts that are installed")
	}
	breach := "# npm\nparts=$(.ci/parts)\ngo test ./...\n  apt-get install x\ncd y && npm ci\ngo install z@v1\n./.ci/test-parts\n"
	if got := installs(breach); len(got) != 5 || slices.Contains(got, "go test ./...") {
		t.Errorf("of five installing lines, the rule finds %q", got)
	}
}
