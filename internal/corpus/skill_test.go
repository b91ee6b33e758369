// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package corpus

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// orgSkill returns an Org file with skill properties.
func orgSkill(priority, depends string) string {
	return ":PROPERTIES:\n:SKILL_PRIORITY: " + priority + "\n:SKILL_DEPENDS: " + depends + "\n:END:\n* Steps\n"
}

func TestReadHeads(t *testing.T) {
	for _, tc := range []struct {
		name  string
		file  SkillFile
		want  Skill
		wrong []string
	}{
		{
			name: "org", file: SkillFile{Path: "skills/plan.org", Text: ":PROPERTIES:\n:SKILL_PRIORITY: 70\n:SKILL_TRIGGERS: plan, review\n:SKILL_TRIGGERS+: week\n" +
				":SKILL_DEPENDS: inbox\n:END:\n#+TITLE: How to plan\n* Steps\n"},
			want: Skill{Name: "plan", Format: Org, Description: "How to plan", Priority: 70, Triggers: []string{"plan", "review", "week"},
				Dependencies: []string{"inbox"}},
		},
		{name: "org without a head", file: SkillFile{Path: "skills/a/b.org", Text: "* A\n"}, want: Skill{Name: "b", Format: Org}},
		{
			name: "org of Windows", file: SkillFile{Path: "w.org", Text: "\ufeff:PROPERTIES:\r\n:skill_priority: -3\r\n:END:\r\n#+DESCRIPTION: d\r\n"},
			want: Skill{Name: "w", Format: Org, Description: "d", Priority: -3},
		},
		{
			name: "org with a bad priority", file: SkillFile{Path: "a.org", Text: orgSkill("high", "b")},
			want: Skill{Name: "a", Format: Org, Dependencies: []string{"b"}}, wrong: []string{`SKILL_PRIORITY is not a whole number: "high"`},
		},
		{
			name: "markdown", file: SkillFile{Path: "skills/pdf/SKILL.md",
				Text: "---\nname: pdf-forms\ndescription: >\n  Fills in\n  forms.\nlicense: MIT\nmetadata:\n  priority: 5\n  triggers: [pdf, form]\n  author: somebody\n" +
					"depends: plan inbox\n---\n# Forms\n"},
			want: Skill{Name: "pdf-forms", Format: Markdown, Description: "Fills in forms.", Priority: 5, Triggers: []string{"pdf", "form"},
				Dependencies: []string{"plan", "inbox"}},
		},
		{name: "markdown without a head", file: SkillFile{Path: "s/x/SKILL.md", Text: "# Hello\n"}, want: Skill{Name: "x", Format: Markdown},
			wrong: []string{ErrNone.Error()}},
		{name: "markdown with an empty head", file: SkillFile{Path: "s/x/SKILL.md", Text: "---\n---\n"}, want: Skill{Name: "x", Format: Markdown}},
		{name: "markdown with a list as head", file: SkillFile{Path: "s/x/SKILL.md", Text: "---\n- a\n---\n"}, want: Skill{Name: "x", Format: Markdown},
			wrong: []string{ErrNotMapping.Error()}},
		{
			name: "markdown with wrong types", file: SkillFile{Path: "s/x/SKILL.md", Text: "---\nname: [a]\npriority: 1.5\ntriggers: {a: b}\n---\n"},
			want:  Skill{Name: "x", Format: Markdown},
			wrong: []string{"name is not a text", `priority is not a whole number: "1.5"`, "triggers is not a list of words"},
		},
		{
			name: "an alias bomb", file: SkillFile{Path: "s/x/SKILL.md", Text: "---\na: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n---\n"},
			want: Skill{Name: "x", Format: Markdown}, wrong: []string{ErrAlias.Error()},
		},
		{
			name: "a long head", file: SkillFile{Path: "s/x/SKILL.md", Text: "---\n" + strings.Repeat("a: b\n", MaxBytes/5+1) + "---\n"},
			want: Skill{Name: "x", Format: Markdown}, wrong: []string{ErrTooLong.Error()},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := ReadSkills([]SkillFile{tc.file})
			got, ok := r.Get(tc.want.Name)
			tc.want.Path, tc.want.Text = tc.file.Path, tc.file.Text
			if diff := cmp.Diff(tc.want, got); diff != "" || !ok {
				t.Errorf("found: %v (-want +got):\n%s", ok, diff)
			}
			var wrong []string
			for _, p := range r.Problems {
				if p.Kind == Malformed {
					wrong = append(wrong, p.Detail)
				}
			}
			if diff := cmp.Diff(tc.wrong, wrong); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRegistry(t *testing.T) {
	for _, tc := range []struct {
		name     string
		files    []SkillFile
		order    []string
		problems []SkillProblem
	}{
		{name: "the built-in one", order: []string{"state-persistence"}},
		{
			name:  "by priority, behind what they need",
			files: []SkillFile{{"a.org", orgSkill("1", "c")}, {"b.org", orgSkill("2", "")}, {"c.org", orgSkill("0", "")}, {"d.org", orgSkill("500", "a b")}},
			order: []string{"state-persistence", "b", "c", "a", "d"},
		},
		{
			name:  "a missing one",
			files: []SkillFile{{"a.org", orgSkill("1", "nowhere")}},
			order: []string{"state-persistence", "a"}, problems: []SkillProblem{{"a", "a.org", Missing, `depends on "nowhere", which does not exist`}},
		},
		{
			name:  "a cycle, and one that waits for it",
			files: []SkillFile{{"a.org", orgSkill("1", "b")}, {"b.org", orgSkill("2", "c")}, {"c.org", orgSkill("3", "a")}, {"w.org", orgSkill("200", "a")}},
			order: []string{"state-persistence", "w", "c", "b", "a"}, problems: []SkillProblem{{"c", "c.org", Cycle, "depends on itself: c -> a -> b -> c"}},
		},
		{
			name:  "itself",
			files: []SkillFile{{"a.org", orgSkill("1", "a a")}},
			order: []string{"state-persistence", "a"}, problems: []SkillProblem{{"a", "a.org", Cycle, "depends on itself: a -> a"}},
		},
		{
			name:  "a name borne twice",
			files: []SkillFile{{"y/a.org", ""}, {"x/a.org", ""}, {"state-persistence.org", ""}},
			order: []string{"state-persistence", "a"},
			problems: []SkillProblem{
				{"state-persistence", "state-persistence.org", Duplicate, "the name is already used by a built-in skill"},
				{"a", "y/a.org", Duplicate, "the name is already used by x/a.org"},
			},
		},
		{
			name:  "what stands beside a SKILL.md is its own",
			files: []SkillFile{{"pdf/SKILL.md", "---\nname: pdf\n---\n"}, {"pdf/notes.org", ""}, {"pdf/more/x.org", ""}, {"pdf/form.py", ""}, {"pdfs.org", ""}},
			order: []string{"state-persistence", "pdf", "pdfs"},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := ReadSkills(tc.files)
			if diff := cmp.Diff(tc.order, r.Order); diff != "" {
				t.Errorf("order (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tc.problems, r.Problems, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
			slices.Reverse(tc.files)
			if diff := cmp.Diff(r, ReadSkills(tc.files), cmp.AllowUnexported(Registry{})); diff != "" {
				t.Errorf("the order of the files matters (-want +got):\n%s", diff)
			}
		})
	}
}

func TestBuiltIn(t *testing.T) {
	got, ok := ReadSkills(nil).Get("state-persistence")
	if !ok || got.Priority != 100 || !slices.Equal(got.Triggers, []string{"heartbeat", "manual-persist"}) {
		t.Errorf("got %+v", got)
	}
	read, wrong := readOrg(SkillFile{"state-persistence.org", got.Text})
	read.Format, read.Path, read.Description = BuiltIn, "", got.Description
	if diff := cmp.Diff(got, read); diff != "" || len(wrong) > 0 {
		t.Errorf("its source differs: %q (-want +got):\n%s", wrong, diff)
	}
}

// TestOrderModel draws random dependencies: each skill has one position, after
// its dependencies unless they form a cycle, and a cycle is reported exactly if
// no order exists.
func TestOrderModel(t *testing.T) {
	names := []string{"a", "b", "c", "d", "e", "f"}
	rapid.Check(t, func(t *rapid.T) {
		depends := map[string][]string{}
		var files []SkillFile
		for _, n := range names {
			depends[n] = rapid.SliceOfN(rapid.SampledFrom(names), 0, 2).Draw(t, n)
			files = append(files, SkillFile{n + ".org", orgSkill("1", strings.Join(depends[n], " "))})
		}
		r := ReadSkills(files)
		if len(r.Order) != len(names)+1 || len(slices.Compact(slices.Sorted(slices.Values(r.Order)))) != len(names)+1 {
			t.Fatalf("order %q", r.Order)
		}
		circles := slices.ContainsFunc(r.Problems, func(p SkillProblem) bool { return p.Kind == Cycle })
		if fits := hasTopologicalOrder(names, depends); fits == circles {
			t.Fatalf("an order exists: %v; a cycle is told of: %v", fits, circles)
		}
		for i, n := range r.Order {
			for _, d := range depends[n] {
				if !circles && slices.Index(r.Order, d) > i {
					t.Fatalf("%s stands before %s in %q", n, d, r.Order)
				}
			}
		}
	})
}

// hasTopologicalOrder reports whether the names can be removed one by one.
func hasTopologicalOrder(names []string, depends map[string][]string) bool {
	done := map[string]bool{}
	for range names {
		for _, n := range names {
			if !slices.ContainsFunc(depends[n], func(d string) bool { return !done[d] }) {
				done[n] = true
			}
		}
	}
	return len(done) == len(names)
}

func FuzzRead(f *testing.F) {
	f.Add("a.org", orgSkill("3", "b c"))
	f.Add("x/SKILL.md", "---\nname: a\nmetadata: {priority: 3}\n---\ntext")
	f.Add("x/SKILL.md", "---\na: &a [*a]\n---\n")
	f.Add("SKILL.md", "---\n? [a]\n: b\n--- \n")
	f.Fuzz(func(t *testing.T, name, text string) {
		files := []SkillFile{{name, text}, {"other.org", orgSkill("1", "a")}}
		r := ReadSkills(files)
		if len(r.Order) != len(r.Skills) {
			t.Fatalf("%d skills, %d in order", len(r.Skills), len(r.Order))
		}
		if diff := cmp.Diff(r, ReadSkills(files), cmp.AllowUnexported(Registry{})); diff != "" {
			t.Fatal(diff)
		}
	})
}
