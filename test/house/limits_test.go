// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package house

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// limitsFile has the most lines of Go that each package may have, and all of them together,
// tests and test kits apart. Its numbers only fall, see raisedLimits.
const limitsFile = "test/house/limits.txt"

// maxUnused is how far a package may be below its limit before the limit must be lowered: room
// for a small change, and none for a feature.
const maxUnused = 150

// parseLimits returns the number of lines by package, and that of "total".
func parseLimits(text string) (map[string]int, error) {
	limits := map[string]int{}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "#") || strings.TrimSpace(line) == "" {
			continue
		}
		var name string
		var n int
		if _, err := fmt.Sscanf(line, "%s %d\n", &name, &n); err != nil {
			return nil, fmt.Errorf("%s: %q: %w", limitsFile, line, err)
		}
		limits[name] = n
	}
	return limits, nil
}

// spent returns the present number of lines by package, and that of "total".
func spent(sources []*source) map[string]int {
	lines, _ := linesByPackage(sources)
	for _, n := range slices.Collect(maps.Values(lines)) {
		lines["total"] += n
	}
	return lines
}

// overLimits makes the rule that limits set.
func overLimits(limits map[string]int) rule {
	return func(sources []*source) []string {
		lines := spent(sources)
		var complaints []string
		for _, name := range slices.Sorted(maps.Keys(lines)) {
			switch most, ok := limits[name]; {
			case !ok:
				complaints = append(complaints, fmt.Sprintf("%s has no row in %s; it has %d lines", name, limitsFile, lines[name]))
			case lines[name] > most:
				complaints = append(complaints, fmt.Sprintf("%s has %d lines, the limit is %d; remove some", name, lines[name], most))
			case most-lines[name] > maxUnused && name != "total":
				complaints = append(complaints, fmt.Sprintf("%s has %d lines, the limit is %d; lower it in %s", name, lines[name], most, limitsFile))
			}
		}
		for _, name := range slices.Sorted(maps.Keys(limits)) {
			if _, ok := lines[name]; !ok {
				complaints = append(complaints, fmt.Sprintf("there is no package %s; remove its row from %s", name, limitsFile))
			}
		}
		return complaints
	}
}

// raisedLimits complains about a commit that lets numbers rise. Lines move between packages if the
// sum stays, with a decision that names what left where a row rises. The total rises only in a
// commit of a decision alone, with which a capability begins that may add lines of its own.
func raisedLimits(v version) ([]string, error) {
	before, err := parseLimits(v.before)
	if err != nil {
		return nil, err
	}
	after, err := parseLimits(v.text)
	if err != nil {
		return nil, err
	}
	sum := func(limits map[string]int) (n int) {
		for name, most := range limits {
			if name != "total" {
				n += most
			}
		}
		return n
	}
	decided := slices.ContainsFunc(v.others, func(file string) bool { return strings.HasPrefix(file, "doc/decisions/") })
	if after["total"] > before["total"] {
		if !decided || slices.ContainsFunc(v.others, func(file string) bool { return !strings.HasPrefix(file, "doc/decisions/") }) {
			return []string{fmt.Sprintf("commit %s raises the total from %d to %d; only a commit of a decision alone may",
				v.commit, before["total"], after["total"])}, nil
		}
		return nil, nil
	}
	var complaints []string
	if sum(after) > sum(before) {
		complaints = append(complaints, fmt.Sprintf("commit %s raises the sum of the packages from %d to %d", v.commit, sum(before), sum(after)))
	}
	for _, name := range slices.Sorted(maps.Keys(after)) {
		if old, ok := before[name]; ok && after[name] > old && name != "total" && !decided {
			complaints = append(complaints, fmt.Sprintf("commit %s raises %s from %d to %d without a decision that names what left", v.commit, name, old, after[name]))
		}
	}
	return complaints, nil
}

func TestLimits(t *testing.T) {
	text, err := os.ReadFile(limitsFile)
	if err != nil {
		t.Fatal(err)
	}
	limits, err := parseLimits(string(text))
	if err != nil {
		t.Fatal(err)
	}
	hold(t, overLimits(limits))
}

func TestLimitsOnlyFall(t *testing.T) {
	for _, v := range versions(t, limitsFile) {
		complaints, err := raisedLimits(v)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range complaints {
			t.Error(c)
		}
	}
}

func TestLimitRulesCatch(t *testing.T) {
	files := map[string]string{"node/a.go": "package node\n\n\n", "api/a.go": "package api\n"}
	for _, tc := range []struct{ name, limits, want string }{
		{"as large", "api 1\nnode 3\ntotal 4\n", ""},
		{"smaller", "api 1\nnode 153\ntotal 200\n", ""},
		{"too large", "api 1\nnode 2\ntotal 4\n", "node has 3 lines, the limit is 2"},
		{"too many together", "api 1\nnode 3\ntotal 3\n", "total has 4 lines, the limit is 3"},
		{"much smaller", "api 1\nnode 154\ntotal 155\n", "node has 3 lines, the limit is 154; lower it"},
		{"a new package", "node 3\ntotal 4\n", "api has no row"},
		{"a package less", "api 1\nnode 3\norg 9\ntotal 13\n", "there is no package org"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			limits, err := parseLimits("# a comment\n" + tc.limits)
			if err != nil {
				t.Fatal(err)
			}
			catches(t, overLimits(limits), files, tc.want)
		})
	}
	decision, code := "doc/decisions/0200-fleet.md", "node/node.go"
	for _, tc := range []struct {
		name, after string
		others      []string
		want        int
	}{
		{"lowered", "api 1\nnode 2\ntotal 3\n", []string{code}, 0},
		{"a row raised", "api 1\nnode 4\ntotal 4\n", []string{code}, 2},
		{"moved without a decision", "api 0\nnode 4\ntotal 4\n", []string{code}, 1},
		{"moved with a decision", "api 0\nnode 4\ntotal 4\n", []string{code, decision}, 0},
		{"moved to a new package", "api 1\nast 2\nnode 1\ntotal 4\n", []string{code}, 0},
		{"a new package beside the others", "api 1\nast 1\nnode 3\ntotal 4\n", []string{code}, 1},
		{"the total with code", "api 1\nnode 4\ntotal 5\n", []string{code, decision}, 1},
		{"the total by itself", "api 1\nnode 4\ntotal 5\n", nil, 1},
		{"the total with its decision", "api 1\nnode 4\ntotal 5\n", []string{decision}, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := raisedLimits(version{before: "api 1\nnode 3\ntotal 4\n", text: tc.after, others: tc.others})
			if err != nil || len(got) != tc.want {
				t.Errorf("got %q, %v, want %d complaints", got, err, tc.want)
			}
		})
	}
	if _, err := parseLimits("node three\n"); err == nil {
		t.Error("a row without a number is accepted")
	}
}
