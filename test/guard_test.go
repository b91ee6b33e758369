// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"golang.org/x/mod/sumdb/note"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/guard"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/query"
	"github.com/fovea-memory/fovea/window"
)

const planSkill = ":PROPERTIES:\n:ID: plan\n:SKILL_PRIORITY: 7\n:END:\n#+TITLE: Plan\n* Look\n:PROPERTIES:\n:ID: look\n:END:\nzebras first\n#+begin_src sh\n" +
	"echo plan\n#+end_src\n"

// guarded is a world with protected files, and the alerts that it gave.
type guarded struct {
	*world
	rules  guard.Rules
	skills string      // Options.SkillsDir
	alerts [][2]string // the path and the message of each
	signer note.Signer // nil for a machine without a key
	known  []note.Verifier
}

// sign gives the machine a key, from when the memory is next opened.
func (g *guarded) sign(s note.Signer, v note.Verifier) { g.signer, g.known = s, []note.Verifier{v} }

func newGuarded(t testing.TB, rules guard.Rules) *guarded {
	g := &guarded{rules: rules}
	g.world = newWorld(t, map[string]string{
		"skills/plan.org": planSkill, "agents/nightjar/ROM.md": "be kind\n", "notes.org": "* A zebra note\n:PROPERTIES:\n:ID: note\n:END:\n",
	})
	g.reopen()
	g.ingest()
	return g
}

func (g *guarded) reopen() {
	g.t.Helper()
	if err := g.m.Close(); err != nil {
		g.t.Fatal(err)
	}
	opts := &fovea.Options{
		StateDir: g.state, Now: g.now, Guard: g.rules, SkillsDir: g.skills, Signer: g.signer,
		Alert: func(path, message string) error { g.alerts = append(g.alerts, [2]string{path, message}); return nil },
	}
	if g.known != nil {
		opts.Verifiers = note.VerifierList(g.known...)
	}
	m, err := fovea.Open(g.t.Context(), g.dir, opts)
	if err != nil {
		g.t.Fatal(err)
	}
	g.m = m
}

// read returns what readers get.
func (g *guarded) read() fovea.View {
	g.t.Helper()
	v, err := g.m.Guard().View(g.t.Context(), nil)
	if err != nil {
		g.t.Fatal(err)
	}
	return v
}

// tamper writes a file as somebody would who does not want to be seen: the times
// are the old ones.
func (g *guarded) tamper(name, text string) {
	g.t.Helper()
	path := filepath.Join(g.dir, filepath.FromSlash(name))
	was, err := os.Stat(path)
	if err != nil {
		g.t.Fatal(err)
	}
	g.write(map[string]string{name: text})
	if err := os.Chtimes(path, was.ModTime(), was.ModTime()); err != nil {
		g.t.Fatal(err)
	}
}

// come writes a new file and reads the folder: before that nobody can have it.
func (g *guarded) come(name, text string) {
	g.write(map[string]string{name: text})
	g.ingest()
}

func (g *guarded) lockdown(want ...string) {
	g.t.Helper()
	if diff := cmp.Diff(want, g.read().Lockdown(), cmpopts.EquateEmpty()); diff != "" {
		g.t.Errorf("lockdown (-want +got):\n%s", diff)
	}
}

func (g *guarded) told(want int) {
	g.t.Helper()
	if len(g.alerts) != want {
		g.t.Errorf("%d alerts, want %d", len(g.alerts), want)
	}
}

// A protected file that somebody else changed is refused to every reader, before
// it is read again and after; everything else goes on.
func TestGuardRefusesWhatChanged(t *testing.T) {
	for _, tc := range []struct {
		name, file string
		change     func(*guarded)
	}{
		{"a byte, times put back", "skills/plan.org", func(g *guarded) { g.tamper("skills/plan.org", strings.Replace(planSkill, "first", "firsT", 1)) }},
		{"more text", "skills/plan.org", func(g *guarded) { g.tamper("skills/plan.org", planSkill+"* More zebras\n") }},
		{"what an agent has learned", "agents/nightjar/ROM.md", func(g *guarded) { g.tamper("agents/nightjar/ROM.md", "be zebra\n") }},
		{"removed", "skills/plan.org", func(g *guarded) { g.remove("skills/plan.org") }},
		{"a new one", "skills/evil.org", func(g *guarded) { g.come("skills/evil.org", "* zebras\n") }},
		{"a new one that is no text", "skills/evil.so", func(g *guarded) { g.come("skills/evil.so", "\x00") }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			g := newGuarded(t, guard.Rules{})
			g.lockdown()
			g.told(0)
			tc.change(g)
			for _, step := range []string{"unread", "read", "after a restart"} {
				switch step {
				case "read":
					g.ingest()
				case "after a restart":
					g.reopen()
				}
				v := g.read()
				if diff := cmp.Diff([]string{tc.file}, v.Lockdown()); diff != "" {
					t.Fatalf("%s: lockdown (-want +got):\n%s", step, diff)
				}
				g.told(1)
				if _, has := v.Text(tc.file); has {
					t.Errorf("%s: its text is there", step)
				}
				if _, err := v.Resolve(tc.file); fovea.KindOf(err) != fovea.Locked {
					t.Errorf("%s: resolving it gave %v", step, err)
				}
				e, _ := query.Parse("zebra OR zebras OR kind")
				found, err := v.Query(e, 0, g.now())
				if err != nil {
					t.Fatal(err)
				}
				hits, _ := v.Search("zebras kind", 0, nil, g.now())
				for _, h := range hits {
					found = append(found, h.Node)
				}
				if len(found) == 0 {
					t.Errorf("%s: nothing else is found", step)
				}
				for _, n := range found {
					if n.Path == tc.file {
						t.Errorf("%s: %s is found in it", step, n.ID)
					}
				}
			}
			if a := g.alerts[0]; a[0] != tc.file || !strings.Contains(a[1], "fovea guard diff "+tc.file) {
				t.Errorf("the alert says %s", a[1])
			}
		})
	}
}

func TestGuardRefusesAsFocus(t *testing.T) {
	g := newGuarded(t, guard.Rules{})
	g.tamper("skills/plan.org", planSkill+"evil\n")
	g.ingest()
	v := g.read()
	_, err := v.Window(t.Context(), window.Request{Focus: "look", Budget: 1000})
	if fovea.KindOf(err) != fovea.Locked || !strings.Contains(err.Error(), "skills/plan.org") {
		t.Errorf("a window about it: %v", err)
	}
	w, err := v.Window(t.Context(), window.Request{Focus: "note", Budget: 1000, Question: "zebras"})
	if err != nil || strings.Contains(w.Text, "evil") || strings.Contains(w.Text, "Look") {
		t.Errorf("another window: %v\n%s", err, w.Text)
	}
}

// ask serves what changed and says so.
func TestGuardAsks(t *testing.T) {
	g := newGuarded(t, guard.Rules{Ask: []string{"/skills/"}})
	g.tamper("skills/plan.org", planSkill+"other\n")
	g.ingest()
	v := g.read()
	if diff := cmp.Diff([]string{"skills/plan.org"}, v.Unreviewed()); diff != "" || len(v.Lockdown()) > 0 {
		t.Errorf("locked %q, unreviewed (-want +got):\n%s", v.Lockdown(), diff)
	}
	if text, _ := v.Text("skills/plan.org"); !strings.HasSuffix(text, "other\n") {
		t.Errorf("it is served as %q", text)
	}
	g.read()
	g.told(1)
	if _, err := g.m.Guard().Adopt(t.Context(), "skills/plan.org", nil); err != nil {
		t.Fatal(err)
	}
	if v := g.read(); len(v.Unreviewed()) > 0 {
		t.Errorf("still unreviewed: %q", v.Unreviewed())
	}
}

func TestGuardAdopt(t *testing.T) {
	g := newGuarded(t, guard.Rules{})
	ctx, changed := t.Context(), strings.Replace(planSkill, "zebras", "yaks", 1)
	g.tamper("skills/plan.org", changed)
	standing, changes, err := g.m.Guard().Diff(ctx, "skills/plan.org")
	want := []guard.Change{{What: guard.Modified, Kind: guard.Headline, Where: "Look"}}
	if diff := cmp.Diff(want, changes, cmpopts.IgnoreFields(guard.Change{}, "Was", "Now")); diff != "" || err != nil {
		t.Fatalf("%v (-want +got):\n%s", err, diff)
	}
	if !strings.Contains(changes[0].Was, "zebras") || !strings.Contains(changes[0].Now, "yaks") {
		t.Errorf("the texts are %q and %q", changes[0].Was, changes[0].Now)
	}
	if _, err := g.m.Guard().Adopt(ctx, "skills/plan.org", &fovea.WriteOptions{Base: merkle.Sum([]byte("else"))}); fovea.KindOf(err) != fovea.Conflict {
		t.Errorf("adopting what was not seen: %v", err)
	}
	if _, err := g.m.Guard().Adopt(fovea.WithActor(ctx, author.Actor{Author: author.Named("nightjar"), May: anywhere}), "skills/plan.org",
		&fovea.WriteOptions{Base: standing.File}); fovea.KindOf(err) != fovea.Denied {
		t.Errorf("an agent adopts: %v", err)
	}
	if _, err := g.m.Guard().Adopt(ctx, "notes.org", nil); fovea.KindOf(err) != fovea.NotFound {
		t.Errorf("adopting a file that is not protected: %v", err)
	}
	g.lockdown("skills/plan.org")
	c, err := g.m.Guard().Adopt(ctx, "skills/plan.org", &fovea.WriteOptions{Base: standing.File})
	if err != nil || c.Kind != "guard" || c.Author != byOwner {
		t.Fatalf("%+v, %v", c, err)
	}
	g.lockdown()
	g.reopen()
	g.lockdown()
	if again, err := g.m.Guard().Adopt(ctx, "skills/plan.org", nil); again.Seq != 0 || err != nil {
		t.Errorf("adopting twice: %+v, %v", again, err)
	}
	g.remove("skills/plan.org")
	if _, err := g.m.Guard().Adopt(ctx, "skills/plan.org", nil); err != nil {
		t.Fatal(err)
	}
	g.lockdown()
	g.write(map[string]string{"skills/plan.org": planSkill})
	g.lockdown("skills/plan.org")
}

func TestGuardReject(t *testing.T) {
	for _, tc := range []struct {
		name, file string
		change     func(*guarded)
	}{
		{"changed", "skills/plan.org", func(g *guarded) { g.tamper("skills/plan.org", "evil\n") }},
		{"changed and read", "skills/plan.org", func(g *guarded) { g.tamper("skills/plan.org", "evil\n"); g.ingest() }},
		{"opaque", "agents/nightjar/ROM.md", func(g *guarded) { g.tamper("agents/nightjar/ROM.md", "evil\n") }},
		{"removed", "skills/plan.org", func(g *guarded) { g.remove("skills/plan.org") }},
		{"new", "skills/evil.org", func(g *guarded) { g.come("skills/evil.org", "evil\n") }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			g := newGuarded(t, guard.Rules{})
			before, root := g.onDisk(), g.m.View().Root()
			tc.change(g)
			g.lockdown(tc.file)
			if _, err := g.m.Guard().Reject(t.Context(), tc.file, nil); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(before, g.onDisk()); diff != "" {
				t.Errorf("on disk (-want +got):\n%s", diff)
			}
			g.lockdown()
			g.told(1)
			g.reopen()
			if v := g.ingest(); v.Root() != root {
				t.Error("the root is another one")
			}
			g.lockdown()
			g.told(1)
			if tc.name == "removed" {
				return
			}
			kept := false
			commits, err := g.m.History().Log(t.Context(), "", 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range commits {
				v, err := g.m.History().At(t.Context(), merkle.Digest(c.Digest).String())
				if err != nil {
					t.Fatal(err)
				}
				text, _ := v.Text(tc.file)
				kept = kept || strings.HasPrefix(text, "evil")
			}
			if !kept {
				t.Error("what was rejected is not in history")
			}
		})
	}
}

// What the owner does through Fovea is trusted, and so is going back to it; what
// an agent does is refused.
func TestGuardAndOurOwnWrites(t *testing.T) {
	g := newGuarded(t, guard.Rules{})
	ctx, quiet := t.Context(), func(what string) {
		t.Helper()
		g.lockdown()
		g.told(0)
		g.reopen()
		g.ingest()
		g.lockdown()
		if t.Failed() {
			t.Fatalf("after %s", what)
		}
	}
	agent := fovea.WithActor(ctx, author.Actor{Author: author.Named("nightjar"), May: anywhere})
	if _, err := g.m.Notes().Edit(agent, "look", nil, document.SetTitle{Title: "Obey"}); fovea.KindOf(err) != fovea.Denied {
		t.Fatalf("an agent edits: %v", err)
	}
	quiet("an agent's try")
	if _, err := g.m.Notes().Edit(ctx, "look", nil, document.SetTitle{Title: "Look well"}); err != nil {
		t.Fatal(err)
	}
	quiet("an edit")
	if _, _, err := g.m.History().Rollback(agent, "0", nil); fovea.KindOf(err) != fovea.Denied {
		t.Fatalf("an agent rolls back: %v", err)
	}
	if _, _, err := g.m.History().Rollback(agent, "0", &fovea.WriteOptions{MemoryOnly: true}); fovea.KindOf(err) != fovea.Denied {
		t.Fatalf("an agent rolls back in memory: %v", err)
	}
	for range 2 {
		if _, _, err := g.m.History().Rollback(ctx, "0", nil); err != nil {
			t.Fatal(err)
		}
		quiet("a rollback")
	}
	if _, _, err := g.m.History().Rollback(ctx, "0", &fovea.WriteOptions{MemoryOnly: true}); err != nil {
		t.Fatal(err)
	}
	quiet("a rollback of memory only")
	if _, _, err := g.m.History().Rollback(ctx, "0", nil); err != nil {
		t.Fatal(err)
	}
	quiet("a rollback of that")
	g.write(map[string]string{"notes.org": "* Other\n"})
	g.ingest()
	quiet("a save of a note")
}

// An edit does not go on top of what nobody looked at, and a rollback to it does
// not trust it.
func TestGuardTrustsNothingUnseen(t *testing.T) {
	g := newGuarded(t, guard.Rules{})
	g.tamper("skills/plan.org", planSkill+"* Evil\n")
	g.ingest()
	_, err := g.m.Notes().Edit(t.Context(), "look", nil, document.SetTitle{Title: "Look well"})
	if fovea.KindOf(err) != fovea.Locked {
		t.Errorf("an edit of it: %v", err)
	}
	if _, _, err := g.m.History().Rollback(t.Context(), "0", nil); err != nil {
		t.Fatal(err)
	}
	g.lockdown()
	if _, _, err := g.m.History().Rollback(t.Context(), "0", nil); err != nil {
		t.Fatal(err)
	}
	g.lockdown("skills/plan.org")
}

// Skills that lie elsewhere do not end the protection of those in the memex.
func TestGuardWithSkillsElsewhere(t *testing.T) {
	g := newGuarded(t, guard.Rules{})
	g.skills = t.TempDir()
	g.reopen()
	g.ingest()
	g.tamper("skills/plan.org", planSkill+"evil\n")
	g.lockdown("skills/plan.org")
	g.skills = ""
	g.reopen()
	g.ingest()
	g.lockdown("skills/plan.org")
	g.told(1)
}

// A policy that protects more takes what it finds; one that protects less lets go.
func TestGuardPolicyChanges(t *testing.T) {
	g := newGuarded(t, guard.Rules{})
	with := func(rules guard.Rules, taken ...string) {
		t.Helper()
		g.rules = rules
		g.reopen()
		var got []string
		if err := g.m.Ingest(t.Context(), &fovea.IngestOptions{Trusted: func(paths []string) { got = append(got, paths...) }}); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(taken, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("taken as they are (-want +got):\n%s", diff)
		}
	}
	g.write(map[string]string{"skills/evil.org": "* evil\n"})
	with(guard.Rules{Lockdown: []string{"notes.org"}}, "notes.org")
	g.lockdown("skills/evil.org")
	g.tamper("notes.org", "* changed\n")
	g.lockdown("notes.org", "skills/evil.org")
	with(guard.Rules{Trusted: []string{"skills/evil.org"}})
	g.lockdown()
	with(guard.Rules{}, "skills/evil.org")
	g.lockdown()
}

// What is trusted can be put back after the history was thinned, and is known
// after an image was written.
func TestGuardOutlivesHistory(t *testing.T) {
	g := newGuarded(t, guard.Rules{})
	for range 3 {
		g.write(map[string]string{"notes.org": "* " + g.now().String() + "\n"})
		g.ingest()
	}
	g.tamper("skills/plan.org", "evil\n")
	g.ingest()
	if _, _, _, err := g.m.Mending().Retain(t.Context(), time.Second, 0, 0, nil); err != nil {
		t.Fatal(err)
	}
	if _, _, err := g.m.History().Checkpoint(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	g.reopen()
	g.lockdown("skills/plan.org")
	if _, err := g.m.Guard().Reject(t.Context(), "skills/plan.org", nil); err != nil {
		t.Fatal(err)
	}
	if got := g.onDisk()["skills/plan.org"]; got != planSkill {
		t.Errorf("it holds %q", got)
	}
	g.told(1)
}

// Readers beside a writer see neither a false alarm nor a gap.
func TestGuardBesideAWriter(t *testing.T) {
	g := newGuarded(t, guard.Rules{})
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan string)
	for range 2 {
		go func() {
			for ctx.Err() == nil {
				v, err := g.m.Guard().View(context.Background(), nil)
				if err != nil || len(v.Lockdown()) > 0 {
					done <- strings.Join(v.Lockdown(), " ")
					return
				}
			}
			done <- ""
		}()
	}
	for i := range 20 {
		if _, err := g.m.Notes().Edit(t.Context(), "look", nil, document.AppendBody{Text: strings.Repeat("x", i+1) + "\n"}); err != nil {
			t.Error(err)
		}
	}
	stop()
	for range 2 {
		if locked := <-done; locked != "" {
			t.Errorf("locked %s", locked)
		}
	}
	g.told(0)
}
