// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestDaysAsTyped: where a person types a date, the verbs take tomorrow, fri and +3d, and the file has
// the date that was meant; a moment of the history may be yesterday, and no snapshot is called so.
func TestDaysAsTyped(t *testing.T) {
	s := newServed(t)
	file := filepath.Join(s.memex, "core.org")
	must(t, os.WriteFile(file, []byte("* TODO The door\n:PROPERTIES:\n:ID: door\n:END:\n"), 0o600))
	s.run("ingest")
	on := func(days int, rest string) string {
		return "<" + time.Now().AddDate(0, 0, days).Format("2006-01-02 Mon") + rest + ">"
	}
	for typed, want := range map[string]func() string{
		"today": func() string { return on(0, "") }, "tomorrow": func() string { return on(1, "") }, "+3d": func() string { return on(3, "") },
		"+2w 14:00 +1w": func() string { return on(14, " 14:00 +1w") }, "tomorrow 9:00": func() string { return on(1, " 09:00 +1w") },
		time.Now().AddDate(0, 0, 2).Weekday().String()[:3]: func() string { return on(2, "") }, "2026-03-01": func() string { return "<2026-03-01 Sun>" },
	} {
		for _, flag := range []string{"schedule", "deadline"} {
			for _, verb := range [][]string{{"edit", "door"}, {"remember", "A " + flag + " of " + typed, "--under", "core.org", "--todo", "TODO"}} {
				s.run("edit", "door", "--schedule", "", "--deadline", "")
				before := want()
				s.run(append(verb, "--"+flag, typed)...)
				text, err := os.ReadFile(file)
				must(t, err)
				has := func(stamp string) bool { // a repeater that was there stays
					return strings.Contains(string(text), strings.TrimSuffix(strings.TrimSuffix(stamp, ">"), " +1w"))
				}
				if !has(before) && !has(want()) { // midnight may lie between
					t.Errorf("%s --%s %q: want %s in\n%s", verb[0], flag, typed, want(), text)
				}
			}
		}
	}
	s.refused(exitMisuse, "edit", "door", "--schedule", "someday")
	s.run("show", "door", "--at", "today")
	s.run("diff", "today")
	s.run("revert", "--author", "person", "--since", "today", "--dry-run")
	s.refused(exitFailed, "show", "door", "--at", "-3d")
	s.refused(exitFailed, "rollback", "yesterday", "--dry-run")
	s.refused(exitMisuse, "snapshot", "fri")
}
