// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea_test

import (
	"os"
	"path/filepath"
	"regexp"
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

// TestChangesAreTold: every entry of the changelog has its kind and one line that says
// what a user notices.
func TestChangesAreTold(t *testing.T) {
	told := regexp.MustCompile(`\AKind: (new|change|fix|security)\n\nSummary: [^\n]+\.\n`)
	entries, err := filepath.Glob("changelog/unreleased/*.md")
	if err != nil || len(entries) == 0 {
		t.Fatalf("entries %v, %v", entries, err)
	}
	for _, name := range entries {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !told.Match(text) {
			t.Errorf("%s does not begin as changelog/TEMPLATE.md does", name)
		}
	}
}
