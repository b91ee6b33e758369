// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

//go:build unix

package api_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
)

// What the growth tests compare: the processor time of a step on n things and on
// growthFactor*n. Work that grows in proportion takes growthFactor times as long, work
// that grows with the square growthFactor squared, 16 times. A step that takes less than
// growthFloor is not judged, and one that fails is measured again, growthTries times in all.
const (
	growthFactor = 4
	growthBound  = 10
	growthFloor  = 60 * time.Millisecond
	growthTries  = 3
)

// numbered repeats a pattern n times with the number of each in the place of each ~.
func numbered(n int, pattern string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.ReplaceAll(pattern, "~", fmt.Sprint(i)))
	}
	return b.String()
}

// growing are memexes that invite work with the square of n: files by name, of which a
// text that begins with "-> " makes a link.
var growing = []struct {
	name string
	n    int
	make func(n int) map[string]string
}{
	{"broken links to ids", 3000, inOne("* a\n", "[[id:x~]]\n", "")},
	{"broken links to headlines", 3000, inOne("* a\n", "[[*x~]]\n", "")},
	{"broken links with escapes", 3000, inOne("* a\n", `[[*x\]~]]`+"\n", "")},
	{"broken links to files", 2000, inOne("* a\n", "[[file:x~.org]] ", "\n")},
	{"broken links in many nodes", 1000, inOne("", "* a~\n[[id:x~]]\n", "")},
	{"links to one node", 1000, inOne("* a\n:PROPERTIES:\n:ID: t\n:END:\n", "** b~\n[[id:t]]\n", "")},
	{"the same id", 1000, inOne("", "* a\n:PROPERTIES:\n:ID: t\n:END:\n", "")},
	{"the same title", 1000, inOne("", "* a\n", "")},
	{"the same custom id", 1000, inOne("", "* a\n:PROPERTIES:\n:CUSTOM_ID: t\n:END:\n[[#t]]\n", "")},
	{"the same radio target", 3000, inOne("* a\n", "<<<t>>> t\n", "")},
	{"tags of one headline", 4000, inOne("* a :", "t~:", "\n")},
	{"tags of a file", 4000, inOne("#+FILETAGS: :", "t~:", "\n* a :own:\n")},
	{"tags below tags", 4000, inOne("#+FILETAGS: :", "t~:", "\n* a :t0:own:\n** b :other:\n")},
	{"properties of one drawer", 3000, inOne("* a\n:PROPERTIES:\n", ":k~: v\n", ":END:\n")},
	{"lines of one property", 3000, inOne("* a\n:PROPERTIES:\n", ":k+: v~\n", ":END:\n")},
	{"properties of a file", 2000, inOne("", "#+PROPERTY: k~ v\n", "* a\n")},
	{"properties of a file and its drawer", 2000, func(n int) map[string]string {
		return map[string]string{"a.org": ":PROPERTIES:\n" + numbered(n, ":k~: v\n") + ":END:\n" + numbered(n, "#+PROPERTY: l~ v\n") + "* a\n"}
	}},
	{"finished before unfinished", 1000, func(n int) map[string]string {
		return map[string]string{"a.org": "* TODO a\n:PROPERTIES:\n:ORDERED: t\n:END:\n" + strings.Repeat("** DONE b\n", n) + strings.Repeat("** TODO c\n", n)}
	}},
	{"paragraphs", 1000, inOne("* a\n", "text ~\n\n", "")},
	{"footnotes", 2000, inOne("* a\n", "[fn:~] x [fn:~]\n", "")},
	{"link abbreviations", 2000, inOne("", "#+LINK: l~ id:\n", "* a\n[[l1:x]]\n")},
	{"timestamps", 2000, inOne("* a\n", "<2026-01-05 Mon> ", "\n")},
	{"one line", 20000, inOne("* a\n", "word ", "\n")},
	{"rows", 2000, inOne("* a\n", "| a~ | b |\n", "")},
	{"links of files", 300, func(n int) map[string]string {
		files := map[string]string{"a.org": "* a\n"}
		for i := range n {
			files[fmt.Sprintf("d/%d.org", i)], files[fmt.Sprintf("l%d.org", i)] = "* b\n", fmt.Sprintf("-> d/%d.org", i)
		}
		return files
	}},
	{"open links", 5000, inOne("* a\n", "[[", "\n")},
	{"open targets", 5000, inOne("* a\n", "<<<<", "\n")},
	{"open formulas", 5000, inOne("* a\n", "$$$", "\n")},
	{"open blocks", 2000, inOne("* a\n", "#+begin_\n#+begin_x~\n", "\n")},
}

// inOne is a memex of one file.
func inOne(before, pattern, after string) func(n int) map[string]string {
	return func(n int) map[string]string {
		return map[string]string{"a.org": before + numbered(n, pattern) + after}
	}
}

// readings are the readings that follow each sync.
var readings = []struct{ operation, request string }{
	{"status", `{"diagnostics":true}`},
	{"search", `{"text":"a x word","limit":100000}`},
	{"query", `{}`},
	{"query", `{"query":"type:paragraph,table-row,node-property"}`},
	{"query", `{"query":"link:x"}`},
	{"query", `{"query":"tags:t1"}`},
	{"query", `{"query":"property:K1=v,inherit=t"}`},
	{"query", `{"query":"blocked:"}`},
	{"query", `{"query":"ts:"}`},
	{"show", `{"id":"a.org"}`},
	{"show", `{"id":"a.org:2"}`},
	{"show", `{"id":"a.org:1000000000"}`},
	{"context", `{"question":"a x word"}`},
	{"diff", `{"from":"seq:1","text":true}`},
}

// TestHostileInputGrowsInProportion: no file that somebody puts into the folder makes
// reading it, reading it again after an edit, or asking about it cost with the square of
// its size.
func TestHostileInputGrowsInProportion(t *testing.T) {
	for _, tc := range growing {
		t.Run(tc.name, func(t *testing.T) {
			var complaints []string
			for range growthTries {
				if complaints = compareGrowth(walk(t, tc.make(tc.n)), walk(t, tc.make(growthFactor*tc.n))); len(complaints) == 0 {
					return
				}
			}
			t.Error(strings.Join(complaints, "\n"))
		})
	}
}

// TestGrowthIsSeen: the comparison complains of a square, and not of a proportion.
func TestGrowthIsSeen(t *testing.T) {
	few := []cost{{"square", growthFloor}, {"proportion", growthFloor}, {"small", time.Microsecond}}
	many := []cost{{"square", 16 * growthFloor}, {"proportion", 5 * growthFloor}, {"small", time.Millisecond}}
	if got := compareGrowth(few, many); len(got) != 1 || !strings.HasPrefix(got[0], "square") {
		t.Errorf("%q", got)
	}
}

// cost is the processor time of a step.
type cost struct {
	step string
	took time.Duration
}

func compareGrowth(few, many []cost) (complaints []string) {
	for i, c := range many {
		if c.took > growthFloor && c.took > growthBound*few[i].took {
			complaints = append(complaints, fmt.Sprintf("%s took %v, and %v for %d times as much", c.step, few[i].took, c.took, growthFactor))
		}
	}
	return complaints
}

// walk takes a memex in, edits a file, takes that in, and asks about it.
func walk(t *testing.T, files map[string]string) (costs []cost) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		place(t, filepath.Join(dir, name), text)
	}
	m, err := fovea.Open(t.Context(), dir, &fovea.Options{StateDir: filepath.Join(t.TempDir(), "state")})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	svc := api.NewLocal(m, nil)
	call := func(operation, request string) {
		t.Helper()
		before := processorTime(t)
		if _, err := callJSON(t.Context(), svc, operation, request); err != nil && !strings.Contains(err.Error(), "no such line") {
			t.Fatal(err)
		}
		costs = append(costs, cost{operation + " " + request, processorTime(t) - before})
	}
	call("ingest", `{}`)
	place(t, filepath.Join(dir, "a.org"), "#+title: edited\n"+files["a.org"]+"* Appended\n")
	call("ingest", `{}`)
	for _, r := range readings {
		call(r.operation, r.request)
	}
	return costs
}

// place writes a file, or makes the link that "-> target" asks for.
func place(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if target, ok := strings.CutPrefix(text, "-> "); ok {
		if err := os.Symlink(target, name); err != nil {
			t.Fatal(err)
		}
		return
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// processorTime is what this process has used so far. Other processes do not count.
func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
