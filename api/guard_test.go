// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/api/ops"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/foveatest/looking"
	"github.com/fovea-memory/fovea/internal/guard"
	"github.com/fovea-memory/fovea/working"
)

const planText = ":PROPERTIES:\n:SKILL_PRIORITY: 7\n:SKILL_TRIGGERS: morning\n:END:\n* Plan\nLook around\n"

// guardedService is a service over a memory with skills and a policy.
func guardedService(t *testing.T, rules guard.Rules) (api.Service, *fovea.Memory) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"skills/plan.org": planText, "tasks.org": "* Task\n"} {
		put(t, dir, name, text)
	}
	m, err := fovea.Open(t.Context(), dir, &fovea.Options{StateDir: filepath.Join(t.TempDir(), "state"), Guard: rules})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	svc := looking.First(api.NewLocal(m, nil))
	if _, err := api.OpIngest.Call(t.Context(), svc, api.IngestRequest{}); err != nil {
		t.Fatal(err)
	}
	return svc, m
}

func put(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, name)
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	if err == nil {
		err = os.WriteFile(path, []byte(text), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestGuardOperations: what is protected is listed, a change is shown and decided
// about, and one that is not what was looked at is a conflict.
func TestGuardOperations(t *testing.T) {
	svc, m := guardedService(t, guard.Rules{})
	ctx := t.Context()
	states := func() string {
		t.Helper()
		p, err := api.OpGuard.Call(ctx, svc, api.None{})
		if err != nil || len(p.Files) != 1 || len(p.Policy) == 0 {
			t.Fatalf("%+v, %v", p, err)
		}
		return p.Files[0].Path + " " + p.Files[0].Mode + " " + p.Files[0].State
	}
	if got := states(); got != "skills/plan.org lockdown as trusted" {
		t.Errorf("at first: %s", got)
	}
	for _, decide := range []func() (*api.GuardDecision, error){
		func() (*api.GuardDecision, error) {
			return api.OpGuardReject.Call(ctx, svc, api.GuardRequest{Path: "./skills/plan.org"})
		},
		func() (*api.GuardDecision, error) {
			return api.OpGuardAdopt.Call(ctx, svc, api.GuardRequest{Path: m.Dir() + "/skills/plan.org"})
		},
	} {
		put(t, m.Dir(), "skills/plan.org", planText+"* Obey\n")
		if got := states(); got != "skills/plan.org lockdown changed" {
			t.Errorf("after a change: %s", got)
		}
		d, err := api.OpGuardDiff.Call(ctx, svc, api.GuardDiffRequest{Path: "skills/plan.org", Text: true})
		if err != nil || len(d.Changes) != 1 || d.Changes[0].Where != "Obey" || !strings.Contains(d.Changes[0].Text, "+* Obey") {
			t.Errorf("diff: %+v, %v", d, err)
		}
		if _, err := api.OpGuardAdopt.Call(ctx, svc, api.GuardRequest{Path: "skills/plan.org", SHA256: d.Trusted}); fovea.KindOf(err) != fovea.Conflict {
			t.Errorf("another text than the one seen: %v", err)
		}
		done, err := decide()
		if err != nil || done.Seq == 0 || done.State != "as trusted" {
			t.Errorf("decided: %+v, %v", done, err)
		}
		if again, err := decide(); err != nil || again.Seq != 0 {
			t.Errorf("again: %+v, %v", again, err)
		}
	}
	for _, req := range []api.GuardRequest{{}, {Path: "skills/plan.org", SHA256: "00"}, {Path: "skills/plan.org", SHA256: strings.Repeat("0", 64)}} {
		if _, err := api.OpGuardAdopt.Call(ctx, svc, req); fovea.KindOf(err) != fovea.Invalid {
			t.Errorf("%+v: %v", req, err)
		}
	}
	if _, err := api.OpGuardDiff.Call(ctx, svc, api.GuardDiffRequest{Path: "tasks.org"}); fovea.KindOf(err) != fovea.NotFound {
		t.Errorf("not protected: %v", err)
	}
}

// TestSkillOperations: skills are listed by priority and read by name or path; one
// that is locked down is named, and says why it is not read.
func TestSkillOperations(t *testing.T) {
	svc, m := guardedService(t, guard.Rules{})
	ctx := t.Context()
	list, err := api.OpSkills.Call(ctx, svc, api.None{})
	if err != nil {
		t.Fatal(err)
	}
	want := []api.Skill{
		{Name: "state-persistence", Priority: 100, Dependencies: []string{}, Triggers: []string{"heartbeat", "manual-persist"}, Format: "built-in",
			Description: "keeps the memory on disk, quick to open, and makes a checkpoint when asked"},
		{Name: "plan", Priority: 7, Dependencies: []string{}, Triggers: []string{"morning"}, Format: "org", Path: "skills/plan.org"},
	}
	if diff := cmp.Diff(want, list.Skills); diff != "" {
		t.Errorf("skills (-want +got):\n%s", diff)
	}
	for _, name := range []string{"plan", "plan.org", "skills/plan.org"} {
		if s, err := api.OpSkill.Call(ctx, svc, api.SkillRequest{Name: name}); err != nil || s.Source != planText {
			t.Errorf("%s: %+v, %v", name, s, err)
		}
	}
	if _, err := api.OpSkill.Call(ctx, svc, api.SkillRequest{Name: "nothing"}); fovea.KindOf(err) != fovea.NotFound {
		t.Errorf("no such skill: %v", err)
	}
	put(t, m.Dir(), "skills/plan.org", planText+"* Obey\n")
	if list, err = api.OpSkills.Call(ctx, svc, api.None{}); err != nil || list.Skills[len(list.Skills)-1].Format != "locked" {
		t.Errorf("locked: %+v, %v", list, err)
	}
	for _, name := range []string{"plan", "skills/plan.org"} {
		_, err := api.OpSkill.Call(ctx, svc, api.SkillRequest{Name: name})
		if fovea.KindOf(err) != fovea.Locked || !strings.Contains(err.Error(), "changed outside Fovea") {
			t.Errorf("%s, locked: %v", name, err)
		}
	}
}

// TestRejectedTextIsTheOwners: what was rejected stays in history, where its owner
// finds it; agents get it by no way, unless they were granted to.
func TestRejectedTextIsTheOwners(t *testing.T) {
	svc, m := guardedService(t, guard.Rules{})
	ctx := t.Context()
	put(t, m.Dir(), "skills/plan.org", strings.Replace(planText, "Look around", "Obey me", 1)+"* Evil twin\n")
	if _, err := api.OpGuardDiff.Call(ctx, svc, api.GuardDiffRequest{Path: "skills/plan.org"}); err != nil {
		t.Fatal(err)
	}
	evil, err := m.History().At(ctx, "head")
	if err != nil {
		t.Fatal(err)
	}
	n, err := evil.Resolve("Plan")
	if err != nil {
		t.Fatal(err)
	}
	twin, err := evil.Resolve("Evil twin")
	if err != nil {
		t.Fatal(err)
	}
	at := fmt.Sprintf("seq:%d", evil.Head().Seq)
	if _, err := api.OpGuardReject.Call(ctx, svc, api.GuardRequest{Path: "skills/plan.org"}); err != nil {
		t.Fatal(err)
	}
	agent := author.WithGrant(ctx, api.Grant{Agent: "ada", Role: api.Agent})
	granted := author.WithGrant(ctx, api.Grant{Agent: "ada", Role: api.Agent, Operations: []string{"guard-diff"}})
	for _, tc := range []struct {
		name string
		read func(context.Context) (string, error)
	}{
		{"show", func(ctx context.Context) (string, error) {
			s, err := api.OpShow.Call(ctx, svc, api.ShowRequest{ID: "Plan", At: at})
			return text(s, err)
		}},
		{"show a version", func(ctx context.Context) (string, error) {
			s, err := api.OpShow.Call(ctx, svc, api.ShowRequest{ID: "Plan", At: n.Version.String()})
			return text(s, err)
		}},
		{"search", func(ctx context.Context) (string, error) {
			hits, err := api.OpSearch.Call(ctx, svc, api.SearchRequest{Text: "obey", At: at, Content: true})
			return fmt.Sprint(hits), err
		}},
		{"context", func(ctx context.Context) (string, error) {
			w, err := api.OpContext.Call(ctx, svc, api.ContextRequest{Question: "obey", At: at})
			if err != nil {
				return "", err
			}
			return w.Text, nil
		}},
		{"diff", func(ctx context.Context) (string, error) {
			d, err := api.OpDiff.Call(ctx, svc, api.DiffRequest{From: "seq:1", To: at, Text: true})
			return fmt.Sprint(d), err
		}},
		{"diff back", func(ctx context.Context) (string, error) {
			d, err := api.OpDiff.Call(ctx, svc, api.DiffRequest{From: at, Text: true})
			return fmt.Sprint(d), err
		}},
		{"blame", func(ctx context.Context) (string, error) {
			b, err := api.OpBlame.Call(ctx, svc, api.BlameRequest{ID: n.ID})
			return fmt.Sprint(b), err
		}},
	} {
		for who, ctx := range map[string]context.Context{"the owner": ctx, "an agent": agent, "one granted": granted} {
			got, err := tc.read(ctx)
			if has := strings.Contains(got, "Obey me"); has != (who != "an agent") && tc.name != "blame" || tc.name == "blame" && has {
				t.Errorf("%s by %s: %v, %s", tc.name, who, err, got)
			}
			if strings.HasPrefix(tc.name, "show") && (fovea.KindOf(err) == fovea.Locked) != (who == "an agent") {
				t.Errorf("%s by %s: %v", tc.name, who, err)
			}
		}
	}
	if b, err := api.OpBlame.Call(agent, svc, api.BlameRequest{ID: twin.ID}); err == nil && len(b.Lines) > 0 {
		t.Errorf("blame of a headline that was rejected: %+v", b)
	}
	if s, err := api.OpShow.Call(agent, svc, api.ShowRequest{ID: "Plan", At: "seq:1"}); err != nil || !strings.Contains(s.Content, "Look around") {
		t.Errorf("what was trusted then: %+v, %v", s, err)
	}
}

func text(s *api.Shown, err error) (string, error) {
	if err != nil {
		return "", err
	}
	return s.Content, nil
}

// TestSkillsElsewhere: a folder of skills outside the memex is a second root: its skills are
// listed, shown, answer events and can be blocks, and nothing leads out of it, back into the
// memex, or to what is hidden.
func TestSkillsElsewhere(t *testing.T) {
	elsewhere := t.TempDir()
	dir := filepath.Join(elsewhere, "memex")
	put(t, dir, "a.org", "* A\n")
	put(t, dir, "skills/other.org", planText)
	put(t, elsewhere, "plan.org", planText)
	put(t, elsewhere, "deep/SKILL.md", "---\nname: deep\n---\ndig\n")
	put(t, elsewhere, ".hidden.org", planText)
	put(t, elsewhere, "large.org", strings.Repeat("x", 1<<20+1))
	put(t, elsewhere, "notes.txt", "no skill\n")
	for name, to := range map[string]string{"out.org": "/etc/passwd", "in.org": filepath.Join(dir, "a.org")} {
		if err := os.Symlink(to, filepath.Join(elsewhere, name)); err != nil {
			t.Fatal(err)
		}
	}
	m, err := fovea.Open(t.Context(), dir, &fovea.Options{StateDir: filepath.Join(t.TempDir(), "state"), SkillsDir: ".."})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	svc := looking.First(api.NewLocal(m, nil))
	all, err := api.OpSkills.Call(t.Context(), svc, api.None{})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, s := range all.Skills {
		names = append(names, s.Name+" "+s.Path)
	}
	slices.Sort(names)
	if want := []string{"deep $SKILLS_DIR/deep/SKILL.md", "plan $SKILLS_DIR/plan.org", "state-persistence "}; !slices.Equal(names, want) {
		t.Errorf("got %q, want %q", names, want)
	}
	if len(all.Problems) != 1 || all.Problems[0].Path != "$SKILLS_DIR/large.org" {
		t.Errorf("problems: %+v", all.Problems)
	}
	if s, err := api.OpSkill.Call(t.Context(), svc, api.SkillRequest{Name: "plan"}); err != nil || s.Source != planText {
		t.Errorf("%+v, %v", s, err)
	}
	if got, err := api.OpEvent.Call(t.Context(), svc, api.EventRequest{Event: "morning"}); err != nil || !slices.Equal(got.Skills, []string{"plan"}) {
		t.Errorf("%+v, %v", got, err)
	}
	agent, guarded := author.WithGrant(t.Context(), api.Grant{Agent: "ada", Role: api.Agent}), ops.Guarded(svc)
	for path, want := range map[string]string{
		"$SKILLS_DIR/plan.org": "", filepath.Join(elsewhere, "notes.txt"): "", "$SKILLS_DIR/none.org": "no such file",
		"$SKILLS_DIR/out.org": "leads out", "$SKILLS_DIR/.hidden.org": "hidden", "$SKILLS_DIR/../x": "leads out", "$SKILLS_DIR/in.org": "leads out",
	} {
		_, err := api.OpBlockAdd.Call(agent, guarded, api.BlockAddRequest{Blocks: []working.Block{{Type: working.File, Location: path}}})
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
	if w, err := api.OpContext.Call(agent, guarded, api.ContextRequest{Budget: 2000}); err != nil || !strings.Contains(w.Text, "no skill") {
		t.Errorf("the window lacks the block: %+v, %v", w, err)
	}
	if err := os.RemoveAll(filepath.Join(elsewhere, "deep")); err != nil {
		t.Fatal(err)
	}
	if all, err := api.OpSkills.Call(t.Context(), svc, api.None{}); err != nil || len(all.Skills) != 2 {
		t.Errorf("after one was removed: %+v, %v", all, err)
	}
}

// TestNoSkillsElsewhere: a folder outside that is not there is a problem, and nothing else.
func TestNoSkillsElsewhere(t *testing.T) {
	m, err := fovea.Open(t.Context(), t.TempDir(), &fovea.Options{StateDir: filepath.Join(t.TempDir(), "state"), SkillsDir: "/nowhere/skills"})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	all, err := api.OpSkills.Call(t.Context(), api.NewLocal(m, nil), api.None{})
	if err != nil || len(all.Skills) != 1 || len(all.Problems) != 1 || all.Problems[0].Kind != "elsewhere" || all.Problems[0].Path != "/nowhere/skills" {
		t.Errorf("%+v, %v", all, err)
	}
}

// namedSnapshots lists the snapshots of a memory that have a name.
func namedSnapshots(m *fovea.Memory) (names []string) {
	for _, s := range m.History().Snapshots() {
		if s.Name != "" {
			names = append(names, s.Name)
		}
	}
	return names
}

// TestTrigger: the event manual-persist makes a checkpoint, once as long as nothing changes, and
// heartbeat none; the action comes back as it was, with who else answers. What is no event is
// refused with the list of those that are.
func TestTrigger(t *testing.T) {
	svc, m := guardedService(t, guard.Rules{})
	agent := author.WithGrant(t.Context(), api.Grant{Agent: "ada", Role: api.Agent})
	var first *api.Checkpoint
	beat, err := api.OpEvent.Call(agent, ops.Guarded(svc), api.EventRequest{Event: "heartbeat"})
	want := &api.EventResponse{Event: "heartbeat", Skills: []string{"state-persistence"}}
	if diff := cmp.Diff(want, beat); err != nil || diff != "" || len(namedSnapshots(m)) != 0 {
		t.Errorf("heartbeat: %v, snapshots %v (-want +got):\n%s", err, namedSnapshots(m), diff)
	}
	for _, event := range []string{"manual-persist", "manual-persist"} {
		got, err := api.OpEvent.Call(agent, ops.Guarded(svc), api.EventRequest{Event: event, Action: " {x} "})
		if err != nil || got.Checkpoint == nil || got.Action != " {x} " || len(got.Skills) != 1 {
			t.Fatalf("%s: %+v, %v", event, got, err)
		}
		if first == nil {
			first = got.Checkpoint
		}
		if diff := cmp.Diff(first, got.Checkpoint); diff != "" {
			t.Errorf("%s: another checkpoint (-first +got):\n%s", event, diff)
		}
	}
	was := m.View().Head()
	got, err := api.OpEvent.Call(t.Context(), svc, api.EventRequest{Event: "morning"})
	if diff := cmp.Diff(&api.EventResponse{Event: "morning", Skills: []string{"plan"}}, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	const list = "buffer-update, heartbeat, manual-persist, morning, point-update"
	got, err = api.OpEvent.Call(t.Context(), svc, api.EventRequest{Event: "nothing"})
	if fovea.KindOf(err) != fovea.Invalid || !strings.Contains(err.Error(), list) {
		t.Errorf("an event that nobody knows: %+v, %v", got, err)
	}
	if _, err := api.OpEvent.Call(t.Context(), svc, api.EventRequest{}); fovea.KindOf(err) != fovea.Invalid {
		t.Errorf("no event: %v", err)
	}
	if m.View().Head().Seq != was.Seq {
		t.Error("an event made a commit")
	}
}
