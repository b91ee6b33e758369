// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/org"
)

// TestCampaignBodies has Emacs write logs under all settings, gives the headlines new
// bodies, and looks whether each line that Emacs wrote still stands once, and whether the
// clocks of each file add up to the same time. A body sent back as read changes no byte.
func TestCampaignBodies(t *testing.T) {
	emacs := foveatest.Part(t, "emacs")
	campaign := foveatest.NewCampaign(t)
	pick := func(of ...string) string { return of[campaign.Rand.IntN(len(of))] }
	dir := t.TempDir()
	before, paths := make([]string, campaign.Length(40, 1000)), []string{}
	var jobs strings.Builder
	for i := range before {
		before[i] = "#+TODO: TODO WAIT(w@/!) | DONE(d" + pick("", "!", "@", "@/!") + ")\n" +
			pick("", "#+STARTUP: logdrawer\n", "#+STARTUP: lognotedone lognoteclock-out\n") +
			"* TODO Water\n" + pick("", "SCHEDULED: <2026-01-02 Fri +1w>\n", "DEADLINE: <2026-01-02 Fri>\n") +
			pick("", "", ":PROPERTIES:\n:ID:       water\n:END:\n", ":PROPERTIES:\n:LOG_INTO_DRAWER: HISTORY\n:CLOCK_INTO_DRAWER: t\n:END:\n") +
			pick("", "old text\n", "\nold text\n\nold words\n", "old text\n- old item\n\n")
		paths = append(paths, filepath.Join(dir, fmt.Sprintf("%d.org", i)))
		var settings strings.Builder
		for _, s := range [][]string{
			{"org-log-into-drawer", "nil", "t", `"NOTES"`}, {"org-clock-into-drawer", "nil", "t", "2", `"CLOCKS"`},
			{"org-log-states-order-reversed", "nil", "t"}, {"org-log-note-clock-out", "nil", "t"}, {"org-log-done", "nil", "time", "note"},
			{"org-log-reschedule", "nil", "time", "note"}, {"org-log-redeadline", "nil", "time", "note"}, {"org-adapt-indentation", "nil", "t"},
			{"org-log-note-headings", "((done . \"CLOSING NOTE %t\") (state . \"State %-12s from %-12S %t\")" +
				" (note . \"Note taken on %t\") (reschedule . \"Rescheduled from %S on %t\")" +
				" (delschedule . \"Not scheduled, was %S on %t\") (redeadline . \"New deadline from %S on %t\")" +
				" (deldeadline . \"Removed deadline, was %S on %t\") (clock-out . \"\"))",
				"((done . \"Erledigt am %t\") (state . \"Von %S nach %s %t\") (note . \"Notiz vom %t\") (reschedule . \"Verschoben von %S %t\")" +
					" (delschedule . \"Ohne Termin, war %S %t\") (redeadline . \"Neue Frist statt %S %t\") (deldeadline . \"Ohne Frist, war %S %t\") (clock-out . \"\"))"},
		} {
			settings.WriteString(fmt.Sprintf("(%s . %s) ", s[0], pick(s[1:]...)))
		}
		options := settings.String()
		if strings.Contains(options, "org-clock-into-drawer . 2") { // Org moves the first clock into a drawer, and leaves its note behind
			options = strings.Replace(options, "(org-log-note-clock-out . t)", "(org-log-note-clock-out . nil)", 1)
			before[i] = strings.Replace(before[i], " lognoteclock-out", "", 1)
		}
		if err := os.WriteFile(paths[i], []byte(before[i]), 0o600); err != nil {
			t.Fatal(err)
		}
		var commands strings.Builder
		for k := range 1 + campaign.Rand.IntN(7) {
			commands.WriteString(fmt.Sprintf("(%s . %q) ", pick("todo", "back", "wait", "note", "schedule", "unschedule", "deadline", "undeadline", "clock", "clock"),
				strings.ReplaceAll(pick("note #", "note #\nmore of #", "note #\n\nmore of #"), "#", strconv.Itoa(k))))
		}
		fmt.Fprintf(&jobs, "(%q (%s) (%s))\n", paths[i], options, commands.String())
	}
	runLogOracle(t, emacs, dir, "fovea-write-logs", jobs.String())
	sums := runLogOracle(t, emacs, dir, "fovea-sum-clocks", fmt.Sprintf("%q\n", paths))
	lines, clocks, edits := 0, 0, 0
	for i, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		part := org.Format{}.Outline(path, []document.Part{document.File(string(text), false)}, nil).Parts[1]
		body := part.Content[part.Derived.BodyStart:]
		log := strings.Split(body, "old text")[0]
		for _, same := range []string{body, part.Content, strings.TrimRight(body, "\n")} {
			if got := replaced(t, string(text), same); got != string(text) {
				t.Errorf("file %d, sent back as read (-want +got):\n%s", i, cmp.Diff(string(text), got))
			}
		}
		got := replaced(t, string(text), pick("new body\n", log+"new body\n", "new body\n"+log, "- new item", ""))
		written := countLines(string(text))
		for line := range written {
			if strings.Contains(line, "old ") {
				delete(written, line)
			}
		}
		after := countLines(got)
		for _, line := range []string{"new body", "- new item"} {
			delete(after, line)
		}
		if diff := cmp.Diff(written, after); diff != "" {
			t.Errorf("file %d: lines of the log (-before +after):\n%s\nbefore:\n%s\nafter:\n%s", i, diff, text, got)
		}
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
		edits += 4
		lines += strings.Count(string(text), "\n") - strings.Count(before[i], "\n")
		clocks += strings.Count(string(text), "CLOCK: ")
	}
	if diff := cmp.Diff(sums, runLogOracle(t, emacs, dir, "fovea-sum-clocks", fmt.Sprintf("%q\n", paths))); diff != "" {
		t.Errorf("minutes of the clocks (-before +after):\n%s", diff)
	}
	t.Logf("%d files, %d lines and %d clocks written by Emacs, %d bodies replaced", len(paths), lines, clocks, edits)
}

// runLogOracle runs a function of the script on its input and returns what it prints.
func runLogOracle(t *testing.T, emacs, dir, function, input string) string {
	t.Helper()
	file := filepath.Join(dir, "input")
	if err := os.WriteFile(file, []byte(strings.Trim(input, "[]\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"-Q", "--batch"}
	if org := os.Getenv(foveatest.OrgEnv); org != "" {
		args = append(args, "-L", org)
	}
	cmd := exec.Command(emacs, append(args, "-l", "testdata/log-oracle.el", "-f", function, file)...)
	var errors strings.Builder
	cmd.Stderr = &errors
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, errors.String())
	}
	return string(out)
}

// countLines returns how often each line stands in a text, without blanks around it.
func countLines(text string) map[string]int {
	lines := map[string]int{}
	for line := range strings.Lines(text) {
		lines[strings.TrimSpace(line)]++
	}
	delete(lines, "")
	return lines
}
