// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/internal/guard"
)

// protectedFiles are those that the campaign over them changes.
var protectedFiles = map[string]string{
	"skills/plan.org":        planSkill,
	"skills/pdf/SKILL.md":    "---\nname: pdf\n---\n" + strings.Repeat("Read the form, field by field.\n", 40),
	"skills/long.org":        strings.Repeat("* Step\n#+begin_src sh\nls\n#+end_src\nthen rest\n", 60),
	"agents/nightjar/ROM.md": "be kind\nbe brief\nbe kind\n",
}

// TestCampaignGuard changes bytes and lines of protected files behind the memory's
// back, with the old times put back, and empties and removes them: none may be
// served, and each is told once, also where the memory is opened again. Between them
// it restores the trusted bytes, which must be served again without a word.
func TestCampaignGuard(t *testing.T) {
	n := 400
	if os.Getenv("FOVEA_CAMPAIGN") == "long" {
		n = 10_000
	}
	g := newKeyed(t).guarded
	g.rules.Trusted = []string{"skills/", "agents/"} // until the files of the campaign are there
	g.reopen()
	g.ingest()
	g.write(protectedFiles)
	g.ingest()
	g.rules.Trusted = nil
	g.reopen()
	g.ingest()
	g.lockdown()
	g.alerts = nil

	rnd := rand.New(rand.NewPCG(1, 2))
	names := slices.Sorted(maps.Keys(protectedFiles))
	missed, ways := 0, map[string]int{}
	for i := range n {
		name := names[rnd.IntN(len(names))]
		was := protectedFiles[name]
		how, text := spoil(rnd, was)
		ways[how]++
		if how == "remove" {
			g.remove(name)
		} else {
			g.tamper(name, text)
		}
		if i%8 == 0 {
			g.ingest()
		}
		v := g.read()
		if _, has := v.Text(name); has || !slices.Contains(v.Lockdown(), name) {
			missed++
			t.Errorf("%d: %s of %s was missed", i, how, name)
		}
		if i%32 == 0 {
			g.reopen()
			g.read() // which tells nothing again
		}
		if how == "remove" {
			g.write(map[string]string{name: was})
		} else {
			g.tamper(name, was)
		}
		if i%8 == 0 {
			g.ingest()
		}
		if locked := g.read().Lockdown(); len(locked) > 0 {
			t.Fatalf("%d: put back, and still locked: %q", i, locked)
		}
	}
	if len(g.alerts) != n {
		t.Errorf("%d alerts for %d changes", len(g.alerts), n)
	}
	t.Logf("%d changes, %d missed, %d alerts: %v", n, missed, len(g.alerts), ways)
}

// spoil changes a text by a byte or a line, or takes all of it away; the result is
// another text.
func spoil(rnd *rand.Rand, text string) (how, spoiled string) {
	for spoiled = text; spoiled == text; {
		at, lines := rnd.IntN(len(text)), strings.SplitAfter(text, "\n")
		i, j := rnd.IntN(len(lines)), rnd.IntN(len(lines))
		switch rnd.IntN(8) {
		case 0:
			how, spoiled = "flip", text[:at]+string([]byte{text[at] ^ 1<<rnd.IntN(8)})+text[at+1:]
		case 1:
			how, spoiled = "insert", text[:at]+string([]byte{byte(rnd.IntN(256))})+text[at:]
		case 2:
			how, spoiled = "delete", text[:at]+text[at+1:]
		case 3:
			lines[i], lines[j] = lines[j], lines[i]
			how, spoiled = "swap of lines", strings.Join(lines, "")
		case 4:
			how, spoiled = "delete of a line", strings.Join(slices.Delete(lines, i, i+1), "")
		case 5:
			how, spoiled = "insert of a line", strings.Join(slices.Insert(lines, i, lines[j]), "")
		case 6:
			how, spoiled = "empty", ""
		case 7:
			how, spoiled = "remove", ""
		}
	}
	return how, spoiled
}

// TestCampaignNoFalseAlarm saves ordinary notes, checks commits of Git out, writes
// protected files through Fovea and rolls back: nobody may be told anything.
func TestCampaignNoFalseAlarm(t *testing.T) {
	git := foveatest.Part(t, "git")
	n := 60
	if os.Getenv("FOVEA_CAMPAIGN") == "long" {
		n = 1000
	}
	g := newGuarded(t, guard.Rules{})
	run := func(args ...string) {
		t.Helper()
		cmd := exec.Command(git, append([]string{"-C", g.dir, "-c", "user.name=a", "-c", "user.email=a@b", "-c", "core.autocrlf=false"}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	run("init", "-q", "-b", "main")
	run("add", "notes.org")
	run("commit", "-qm", "one")
	run("checkout", "-qb", "other")
	g.write(map[string]string{"notes.org": "* Other\n"})
	run("commit", "-qam", "two")
	rnd := rand.New(rand.NewPCG(3, 4))
	for i := range n {
		switch rnd.IntN(6) {
		case 0:
			run("checkout", "-qf", []string{"main", "other"}[rnd.IntN(2)])
		case 1, 2:
			g.write(map[string]string{fmt.Sprintf("notes%d.org", rnd.IntN(5)): fmt.Sprintf("* Note %d\n", i)})
		case 3: // a save that changes nothing, as of an editor that writes a new file
			path := filepath.Join(g.dir, "skills/plan.org")
			text, err := os.ReadFile(path)
			if err == nil {
				err = os.WriteFile(path+".new", text, 0o644)
			}
			if err == nil {
				err = os.Rename(path+".new", path)
			}
			if err != nil {
				t.Fatal(err)
			}
		case 4:
			if _, err := g.m.Notes().Edit(t.Context(), "look", nil, document.AppendBody{Text: fmt.Sprintf("line %d\n", i)}); err != nil {
				t.Fatal(err)
			}
		case 5:
			g.ingest()
			if _, _, err := g.m.History().Rollback(t.Context(), "0", &fovea.WriteOptions{Skip: true}); err != nil {
				t.Fatal(err)
			}
		}
		g.ingest()
		if v := g.read(); len(v.Lockdown()) > 0 || len(g.alerts) > 0 {
			t.Fatalf("%d: locked %q, %d alerts", i, v.Lockdown(), len(g.alerts))
		}
	}
}

// BenchmarkGuarded is what verification adds to a read, for a skill of 100 KB.
func BenchmarkGuarded(b *testing.B) {
	w := newWorld(b, map[string]string{"skills/large.org": strings.Repeat("* Step\nThen go on to the next one, and rest.\n", 100<<10/47), "notes.org": "* A\n"})
	w.ingest()
	for b.Loop() {
		v, err := w.m.Guard().View(b.Context(), nil)
		if err != nil || len(v.Lockdown()) > 0 {
			b.Fatal(v.Lockdown(), err)
		}
	}
}
