// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"bytes"
	"path"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/faultfs"
)

// TestPurgeOfCarriedHistory: what another copy wrote and took away again before a merge
// is in no commit of this chain, and is purged all the same.
func TestPurgeOfCarriedHistory(t *testing.T) {
	const secret = "hunter2secret"
	for _, tc := range []struct {
		name, text string
		ids        []string
		after      func(b *machine)
	}{
		{"by text", secret, nil, func(b *machine) { b.write("a.org", strings.Replace(mergeFile, "one", "uno", 1)) }},
		{"by id", "", []string{"b"}, func(b *machine) { b.edit("b", document.Delete{}) }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a := newMachine(t, map[string]string{"a.org": mergeFile})
			b := a.copy("b")
			b.edit("b", document.AppendBody{Text: secret})
			tc.after(b)
			a.from(b)
			if len(filesWith(t, a.d.state, ".", secret)) == 0 {
				t.Fatal("the secret was not carried over: the test shows nothing")
			}
			_, n, err := a.m.Mending().Purge(t.Context(), tc.ids, tc.text, nil)
			if left := filesWith(t, a.d.state, ".", secret); n == 0 || err != nil || len(left) > 0 {
				t.Errorf("purge says %d, %v, and it is in %v", n, err, left)
			}
			b.edit("a", document.AppendBody{Text: "later"})
			b.m.Close()
			if _, _, _, err := mergeStore(t.Context(), a.m, b.d.state.Clone(), nil); err != nil {
				t.Errorf("the next merge: %v", err)
			}
			if left := filesWith(t, a.d.state, ".", secret); len(left) > 0 {
				t.Errorf("the next merge brought it back into %v", left)
			}
		})
	}
}

// TestPurgeByTwo: two machines purge the same text, each in its own history, and merge. A third one merges
// both, and a fourth one that: what nobody has any more is in no one's way.
func TestPurgeByTwo(t *testing.T) {
	a := newMachine(t, map[string]string{"start.org": "* Start\n"})
	b, c, d := a.copy("b"), a.copy("c"), a.copy("d")
	for _, m := range []*machine{b, c, b, c} {
		m.write("s-"+m.name+".org", "* the secret word\n")
		m.write("s-"+m.name+".org", "* nothing of "+m.name+"\n")
		if _, n, err := m.m.Mending().Purge(t.Context(), nil, "the secret word", nil); err != nil || n == 0 {
			t.Fatal(n, err)
		}
	}
	d.write("d.org", "* Of d\n")
	for _, two := range [][2]*machine{{b, c}, {c, b}, {a, b}, {a, c}, {d, a}, {b, d}, {a, d}, {c, a}} {
		two[1].m.Close()
		if _, _, _, err := mergeStore(t.Context(), two[0].m, two[1].d.state.Clone(), nil); err != nil {
			t.Errorf("%s merges %s: %v", two[0].name, two[1].name, err)
		}
		two[1].open()
	}
	for _, m := range []*machine{a, c, d} {
		if m.root() != b.root() {
			t.Errorf("%s has another root than b", m.name)
		}
	}
}

// TestPurgeRefusesWhatCarriedCommitsHold: their paths, ids and authors stay as well.
func TestPurgeRefusesWhatCarriedCommitsHold(t *testing.T) {
	a := newMachine(t, map[string]string{"a.org": mergeFile})
	b := a.copy("bertram")
	b.write("payday.org", "* New\n:PROPERTIES:\n:ID: gehalt\n:END:\n")
	b.edit("gehalt", document.Delete{})
	b.d.write(t, map[string]string{"a.org": strings.Replace(mergeFile, "one", "uno", 1)})
	if err := b.d.memex.Remove("payday.org"); err != nil {
		t.Fatal(err)
	}
	b.sync()
	a.from(b)
	for _, text := range []string{"payday", "gehalt", "bertram"} {
		_, _, err := a.m.Mending().Purge(t.Context(), nil, text, nil)
		if fovea.KindOf(err) != fovea.Invalid || !strings.Contains(err.Error(), "of another copy: its ") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// filesWith lists the files of a folder that hold a text.
func filesWith(t *testing.T, in *faultfs.FS, folder, text string) (out []string) {
	t.Helper()
	entries, err := in.ReadDir(folder)
	for _, e := range entries {
		name := path.Join(folder, e.Name())
		if e.IsDir() {
			out = append(out, filesWith(t, in, name, text)...)
			continue
		}
		var b []byte
		if b, err = in.ReadFile(name); bytes.Contains(b, []byte(text)) {
			out = append(out, name)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}
