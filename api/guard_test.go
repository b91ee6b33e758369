// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/internal/guard"
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
	svc := api.Local(m, nil)
	if _, err := svc.Ingest(t.Context(), api.IngestRequest{}); err != nil {
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
		p, err := svc.Guard(ctx)
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
			return svc.GuardReject(ctx, api.GuardRequest{Path: "./skills/plan.org"})
		},
		func() (*api.GuardDecision, error) {
			return svc.GuardAdopt(ctx, api.GuardRequest{Path: m.Dir() + "/skills/plan.org"})
		},
	} {
		put(t, m.Dir(), "skills/plan.org", planText+"* Obey\n")
		if got := states(); got != "skills/plan.org lockdown changed" {
			t.Errorf("after a change: %s", got)
		}
		d, err := svc.GuardDiff(ctx, api.GuardDiffRequest{Path: "skills/plan.org", Text: true})
		if err != nil || len(d.Changes) != 1 || d.Changes[0].Where != "Obey" || !strings.Contains(d.Changes[0].Text, "+* Obey") {
			t.Errorf("diff: %+v, %v", d, err)
		}
		if _, err := svc.GuardAdopt(ctx, api.GuardRequest{Path: "skills/plan.org", SHA256: d.Trusted}); fovea.KindOf(err) != fovea.Conflict {
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
		if _, err := svc.GuardAdopt(ctx, req); fovea.KindOf(err) != fovea.Invalid {
			t.Errorf("%+v: %v", req, err)
		}
	}
	if _, err := svc.GuardDiff(ctx, api.GuardDiffRequest{Path: "tasks.org"}); fovea.KindOf(err) != fovea.NotFound {
		t.Errorf("not protected: %v", err)
	}
}

// TestSkillOperations: skills are listed by priority and read by name or path; one
// that is locked down is named, and says why it is not read.
func TestSkillOperations(t *testing.T) {
	svc, m := guardedService(t, guard.Rules{})
	ctx := t.Context()
	list, err := svc.Skills(ctx)
	if err != nil {
		t.Fatal(err)
	}
	want := []api.Skill{
		{Name: "state-persistence", Priority: 100, Dependencies: []string{}, Triggers: []string{"heartbeat", "manual-persist"}, Format: "built-in",
			Description: "keeps the memory on disk, and makes a checkpoint at a heartbeat or when asked"},
		{Name: "plan", Priority: 7, Dependencies: []string{}, Triggers: []string{"morning"}, Format: "org", Path: "skills/plan.org"},
	}
	if diff := cmp.Diff(want, list.Skills); diff != "" {
		t.Errorf("skills (-want +got):\n%s", diff)
	}
	for _, name := range []string{"plan", "plan.org", "skills/plan.org"} {
		if s, err := svc.Skill(ctx, api.SkillRequest{Name: name}); err != nil || s.Source != planText {
			t.Errorf("%s: %+v, %v", name, s, err)
		}
	}
	if _, err := svc.Skill(ctx, api.SkillRequest{Name: "nothing"}); fovea.KindOf(err) != fovea.NotFound {
		t.Errorf("no such skill: %v", err)
	}
	put(t, m.Dir(), "skills/plan.org", planText+"* Obey\n")
	if list, err = svc.Skills(ctx); err != nil || list.Skills[len(list.Skills)-1].Format != "locked" {
		t.Errorf("locked: %+v, %v", list, err)
	}
	for _, name := range []string{"plan", "skills/plan.org"} {
		if _, err := svc.Skill(ctx, api.SkillRequest{Name: name}); fovea.KindOf(err) != fovea.Locked || !strings.Contains(err.Error(), "changed outside Fovea") {
			t.Errorf("%s, locked: %v", name, err)
		}
	}
}
