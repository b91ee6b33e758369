// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package guard

import (
	"strings"
	"testing"
)

func TestPolicy(t *testing.T) {
	standard := []string{"/skills/", "/agents/*/ROM*"}
	for _, tc := range []struct {
		name  string
		rules Rules
		want  map[string]Mode
	}{
		{name: "standard", want: map[string]Mode{
			"skills/a.org": Lockdown, "skills/x/SKILL.md": Lockdown, "agents/nightjar/ROM.md": Lockdown, "agents/nightjar/ROM-2/x.org": Lockdown,
			"agents/nightjar/notes.org": Trusted, "a.org": Trusted, "x/skills/a.org": Trusted, "skills.org": Trusted,
		}},
		{name: "a person's word goes first", rules: Rules{Trusted: []string{"skills/drafts/"}, Ask: []string{"*.org_archive"}}, want: map[string]Mode{
			"skills/drafts/a.org": Trusted, "skills/a.org": Lockdown, "x/a.org_archive": Ask,
		}},
		{name: "the strictest of a person's", rules: Rules{Lockdown: []string{"core.org"}, Ask: []string{"/notes/"}, Trusted: []string{"*"}}, want: map[string]Mode{
			"notes/core.org": Lockdown, "notes/a.org": Ask, "skills/a.org": Trusted,
		}},
		{name: "taken out again", rules: Rules{Lockdown: []string{"/keys*", "!/keys.org"}}, want: map[string]Mode{
			"keys2.org": Lockdown, "keys.org": Trusted, "keysets/a.org": Lockdown,
		}},
		{name: "what has no file", rules: Rules{Lockdown: []string{"*"}}, want: map[string]Mode{"/~abc": Trusted, "a": Lockdown}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p, err := NewPolicy(tc.rules, standard)
			if err != nil {
				t.Fatal(err)
			}
			again := ParsePolicy(p.String())
			for path, want := range tc.want {
				if got := p.Mode(path); got != want {
					t.Errorf("%s: got %v, want %v", path, got, want)
				}
				if got := again.Mode(path); got != want {
					t.Errorf("%s, written and read: got %v, want %v", path, got, want)
				}
			}
			if again.String() != p.String() {
				t.Errorf("written %q, read %q", p, again)
			}
		})
	}
}

func TestPolicyRefuses(t *testing.T) {
	for _, line := range []string{"", "#a", "a[", `a\`, "a\nb", "!"} {
		if _, err := NewPolicy(Rules{Ask: []string{"ok", line}}, nil); err == nil || !strings.HasPrefix(err.Error(), "ask: ") {
			t.Errorf("%q: got %v", line, err)
		}
	}
	var none *Policy
	if none.Mode("skills/a.org") != Trusted {
		t.Error("a nil policy protects a file")
	}
}

func FuzzParsePolicy(f *testing.F) {
	f.Add("0 lockdown /skills/\n1 ask x y\n", "skills/a.org")
	f.Add("0 lockdown [\n0 trusted !\n", "a/b")
	f.Fuzz(func(t *testing.T, text, path string) {
		p := ParsePolicy(text)
		again := ParsePolicy(p.String())
		if again.String() != p.String() || again.Mode(path) != p.Mode(path) {
			t.Errorf("%q: %q, then %q", text, p, again)
		}
	})
}
