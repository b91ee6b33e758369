// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package author_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea/author"
)

// kinds are the printed forms of the authors that are not agents.
var kinds = []string{"owner", "file", "fovea"}

func TestCheck(t *testing.T) {
	for name, want := range map[string]error{
		"claude": nil, "claude-code": nil, "mint_2": nil, "0x": nil, "file2": nil, "agent-7": nil, "profile": nil, "username": nil,
		"": author.ErrName, "Mint": author.ErrName, "a/b": author.ErrName, "../person": author.ErrName, " mint": author.ErrName, "mint ": author.ErrName,
		"-mint": author.ErrName, "_mint": author.ErrName, "a b": author.ErrName, "a\x00b": author.ErrName, "mint\n": author.ErrName,
		"міnt": author.ErrName, "mint\u200b": author.ErrName, "ｍｉｎｔ": author.ErrName, "ﬁle": author.ErrName, "m\u0301int": author.ErrName,
		"\xff": author.ErrName, "file\x00": author.ErrName, "OWNER": author.ErrName, strings.Repeat("x", 65): author.ErrName,
		"owner": author.ErrReserved, "person": author.ErrReserved, "file": author.ErrReserved, "fovea": author.ErrReserved, "agent": author.ErrReserved,
		"me": author.ErrReserved, "0wner": author.ErrReserved, "fi1e": author.ErrReserved, "flle": author.ErrReserved, "f-i-l-e": author.ErrReserved,
		"ovvner": author.ErrReserved, "per5on_": author.ErrReserved, "rnerge": author.ErrReserved, "r00t": author.ErrReserved,
	} {
		if err := author.Check(name); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", name, err, want)
		}
	}
	if err := author.Check("Visual Studio Code"); !strings.HasSuffix(fmt.Sprint(err), "; write visual-studio-code") {
		t.Errorf("no next step: %v", err)
	}
}

// TestForClient: clients with different names are different agents, and none of them is
// an agent that the owner has named.
func TestForClient(t *testing.T) {
	given := func(name string) bool { return name == "gardener" }
	for client, want := range map[string]string{
		"claude-code": "claude-code", "cursor": "cursor", "": "agent-unnamed", "gardener": "agent-gardener-9416a9df",
		"Claude Code": "agent-claude-code-246ef8c1", "claude code": "agent-claude-code-a625159d", "person": "agent-person-", "Person": "agent-person-",
		"../person": "agent-person-", "FILE!!": "agent-file-", "file\x00": "agent-file-", "سلام": "agent-", "a/b": "agent-a-b-", "a-b": "a-b",
		"agent-person-": "agent-agent-person-", strings.Repeat("x", 200): "agent-" + strings.Repeat("x", 49) + "-", "ﬁle": "agent-file-", "реrson": "agent-rson-",
	} {
		got, changed := author.ForClient(client, given)
		if name := got.Name; changed != (name != client) || !strings.HasPrefix(name, want) ||
			!strings.HasSuffix(want, "-") && name != want || author.Check(name) != nil {
			t.Errorf("%q is %q, want %q", client, name, want)
		}
	}
}

// awkward returns names that equal or resemble names of authors that are not agents.
func awkward() (names []string) {
	for _, word := range []string{"owner", "person", "file", "fovea", "agent", "human", "user", "me", "root", "system"} {
		dotless := strings.NewReplacer("i", "ı", "o", "о", "e", "е", "a", "а", "p", "р", "s", "ѕ").Replace(word)
		wide := strings.Map(func(r rune) rune { return r + 'ａ' - 'a' }, word)
		names = append(names, word, strings.ToUpper(word), strings.ToUpper(word[:1])+word[1:], " "+word, word+" ", word+"\x00", "\x00"+word, word+"\n",
			word+"!!", "../"+word, word+"/", word+"\u200b", "\u202e"+word, word+"\ufeff", dotless, wide, "-"+word, word+"-", word+"_", word[:1]+"-"+word[1:],
			strings.NewReplacer("o", "0", "i", "1", "e", "3", "s", "5").Replace(word), `"`+word+`"`, "agent "+word, word+"\xff")
	}
	return append(names, "", "ﬁle", "fi1e", "flle", "ovvner", "ownеr", "agent-file", "merge", "mint", "Mint", "mint\u0301")
}

// hold checks the properties of any name of an agent or a client.
func hold(t *testing.T, name string) {
	t.Helper()
	if slices.Contains(kinds, name) && author.Check(name) == nil {
		t.Fatalf("an agent may be called %q", name)
	}
	agents := []author.Author{author.Named(name)}
	taken, _ := author.ForClient(name, func(string) bool { return true })
	free, changed := author.ForClient(name, nil)
	agents = append(agents, taken, free)
	if changed == (free.Name == name) || taken.Name == name {
		t.Errorf("%q: free %q, taken %q, changed %v", name, free.Name, taken.Name, changed)
	}
	for _, a := range agents[1:] {
		if err := author.Check(a.Name); err != nil {
			t.Errorf("the client %q is %q: %v", name, a.Name, err)
		}
	}
	for _, a := range agents {
		text := a.String()
		if a.Kind != author.Agent || slices.Contains(kinds, text) {
			t.Errorf("%q is %+v, printed %q", name, a, text)
		}
		if back, err := author.Parse(text); err != nil || back != a {
			t.Errorf("%q, printed %q, is read as %+v, %v", a.Name, text, back, err)
		}
		if strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' }) {
			t.Errorf("%q is printed as %q", a.Name, text)
		}
	}
	if a, err := author.Parse(name); err == nil && a.Kind != author.Agent && name != "person" && !slices.Contains(kinds, name) {
		t.Errorf("%q is read as %+v", name, a)
	}
}

func TestNoNameIsAnotherKind(t *testing.T) {
	seen := map[string]string{}
	for _, name := range awkward() {
		hold(t, name)
		agent, _ := author.ForClient(name, nil)
		if other, ok := seen[agent.Name]; ok && other != name {
			t.Errorf("the clients %q and %q are both %s", other, name, agent)
		}
		seen[agent.Name] = name
	}
	for _, word := range kinds {
		a, err := author.Parse(word)
		if err != nil || a.Kind == author.Agent || a.String() != word {
			t.Errorf("%s: %+v, %v", word, a, err)
		}
	}
	for _, text := range []string{"", "agent", "Owner", `agent "x`, "a b", "kind 9"} {
		if a, err := author.Parse(text); !errors.Is(err, author.ErrAuthor) {
			t.Errorf("%q is %+v, %v", text, a, err)
		}
	}
}

// FuzzNames: a name is rejected or accepted, but never becomes another kind, and the
// printed form parses back.
func FuzzNames(f *testing.F) {
	for _, name := range awkward() {
		f.Add(name, "mint")
	}
	f.Fuzz(func(t *testing.T, name, other string) {
		hold(t, name)
		a, _ := author.ForClient(name, nil)
		b, _ := author.ForClient(other, nil)
		if name != other && a == b {
			t.Errorf("the clients %q and %q are both %s", name, other, a)
		}
	})
}
