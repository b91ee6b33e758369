// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package foveatest

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// FormatPage compares the tables of a page of doc/format with the constants of the code by
// name, and the rows of each table with one another: offset and size give the next offset.
// The page must also give each of the magic words.
func FormatPage(tb testing.TB, page string, constants map[string]int, magics ...string) {
	tb.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		tb.Fatal(err)
	}
	row := regexp.MustCompile("^\\| (?:`([A-Za-z]+)` )?\\| ([0-9]+) \\| ([0-9]*)")
	got, next := map[string]int{}, -1
	for line := range strings.Lines(string(text)) {
		m := row.FindStringSubmatch(line)
		if m == nil || !strings.Contains(line, "`") && m[3] == "" {
			next = -1
			continue
		}
		at, _ := strconv.Atoi(m[2])
		if m[1] != "" {
			got[m[1]] = at
		}
		if next >= 0 && at != next {
			tb.Errorf("%s: %q should begin at %d", page, strings.TrimSpace(line), next)
		}
		if next = -1; m[3] != "" {
			size, _ := strconv.Atoi(m[3])
			next = at + size
		}
	}
	if diff := cmp.Diff(constants, got); diff != "" {
		tb.Errorf("%s (-code +page):\n%s", page, diff)
	}
	for _, magic := range magics {
		if !strings.Contains(string(text), "`"+magic+"`") {
			tb.Errorf("%s does not give %s", page, magic)
		}
	}
}
