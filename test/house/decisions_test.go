// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package house

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestDecisionsAreDated: every decision record has a day that exists and a state.
func TestDecisionsAreDated(t *testing.T) {
	dated := regexp.MustCompile(`(?m)^Date: (\d{4}-\d\d-\d\d)\. State: (accepted|replaced by \d{4})\.$`)
	records, err := filepath.Glob("doc/decisions/[0-9]*.md")
	if err != nil || len(records) < 2 {
		t.Fatalf("records %v, %v", records, err)
	}
	for _, name := range records {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if filepath.Base(name) == "0000-template.md" {
			continue
		}
		m := dated.FindSubmatch(text)
		if m == nil {
			t.Errorf("%s: no line \"Date: YYYY-MM-DD. State: accepted.\"", name)
		} else if _, err := time.Parse(time.DateOnly, string(m[1])); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestChangelog requires a version at the top of CHANGELOG.md, and one line for each
// change.
func TestChangelog(t *testing.T) {
	text, err := os.ReadFile("CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	_, body, ok := strings.Cut(string(text), "\n## ")
	if !ok || !regexp.MustCompile(`\A\d+\.\d+\.\d+ \((not released|\d{4}-\d\d-\d\d)\)\n`).MatchString(body) {
		t.Error("CHANGELOG.md does not begin with a version and its date, or \"not released\"")
	}
	for line := range strings.Lines(body) {
		if strings.HasPrefix(line, "-") && !strings.HasSuffix(line, ".\n") {
			t.Errorf("a change is one line and ends with a full stop: %s", line)
		}
	}
}
