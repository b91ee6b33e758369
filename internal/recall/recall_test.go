// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package recall

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/index"
	"github.com/fovea-memory/fovea/node"
	"github.com/fovea-memory/fovea/org"
)

// now is the moment that dates count from.
var now = time.Date(2026, 11, 18, 12, 0, 0, 0, time.UTC)

// view returns a state of the given files with both indexes.
func view(files map[string]string) View {
	d := graph.Empty(document.Formats{org.Format{}}).Edit(1)
	for p, text := range files {
		d.Put(p, document.File(text, !document.IsOrgPath(p)))
	}
	s, _ := d.Seal()
	e := index.Attributes{}.Edit()
	for n := range s.All() {
		for k, v := range Attributes(n) {
			e.Set(k, v, n.ID)
		}
	}
	w, a := IndexWords(s), e.Attributes()
	return View{State: s, Words: func() *Words { return w }, Rankers: Rankers([]string{"me"}), Attributes: func() index.Attributes { return a }}
}

func ids(nodes []*node.Node) []string {
	var out []string
	for _, n := range nodes {
		out = append(out, n.ID)
	}
	return out
}

func TestDocument(t *testing.T) {
	v := view(map[string]string{
		"a.org":       "#+title: T\nintro\n* H :x:\n:PROPERTIES:\n:BY: Aiko\n:END:\nbody\n",
		"skills/tool": "plain text", "skills/bin": "\x00\x01", "x.org.gpg": "secret",
	})
	var got []index.Doc
	for n := range v.State.All() {
		d := Document(n)
		d.ID = ""
		got = append(got, d)
	}
	want := []index.Doc{
		{Title: "T", Body: "#+title: T\nintro\n"},
		{Title: "H", Tags: []string{"x"}, Body: ":PROPERTIES:\n:BY: Aiko\n:END:\nbody\n", Marks: []string{"by:aiko", "who", "as:h"}},
		{Title: "bin"}, {Title: "tool", Body: "plain text"}, {Title: "x.org"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestPathTakesPrecedence checks that an id equal to a path does not replace the path;
// an id like the path of an Org file is not accepted at all.
func TestPathTakesPrecedence(t *testing.T) {
	v := view(map[string]string{
		"agents/a/ROM.md": "approved",
		"inbox.org":       "#+title: Inbox\n* first\n",
		"x.org":           "* thief\n" + drawer(":ID: agents/a/ROM.md") + "* other\n" + drawer(":ID: gone.md") + "* third\n" + drawer(":ID: inbox.org"),
	})
	for name, want := range map[string]string{
		"agents/a/ROM.md": "ROM", "id:agents/a/ROM.md": "thief", "gone.md": "other", "id:gone.md": "other",
		"inbox.org": "Inbox", "id:inbox.org": "", "inbox.org:2": "first", "id:Inbox": "",
	} {
		n, err := v.Resolve(name)
		if want == "" && err != nil {
			continue
		}
		if err != nil || n.Title() != want {
			t.Errorf("%q is %v, %v, want %q", name, n, err, want)
		}
	}
}

func TestAmbiguousListsCandidates(t *testing.T) {
	v := view(map[string]string{"a.org": strings.Repeat("* Same\n", 14)})
	_, err := v.Resolve("Same")
	a, ok := err.(*AmbiguousError)
	if !ok || len(a.Candidates) != 10 || a.More != 4 {
		t.Fatalf("got %v", err)
	}
	if got := strings.Count(err.Error(), "\n"); got != 11 {
		t.Errorf("the message has %d lines", got)
	}
}

// TestBeginnings: the beginning of an id stands for the one that has it, and neither it nor that of a
// title lists what a search does not.
func TestBeginnings(t *testing.T) {
	const one, two = "3f0c1234-0000-4000-8000-000000000001", "3f0c1234-0000-4000-8000-000000000002"
	id := func(title, id string) string { return "* " + title + "\n" + drawer(":ID: "+id) + "text\n" }
	v := view(map[string]string{
		"a.org": id("Plans", "planning-2026") + id("Uno", one) + id("Due", two) + id("Trip", "7a0c1234-0000-4000-8000-000000000001"),
		"b.org": "* Vault :crypt:\n" + drawer(":ID: vault-of-it") + "*" + id("Bank PIN 4711", "secret-number-1") + "*" + id("Bank two", "secret-number-2"),
		"a.sync-conflict-20260314-101112-ABCDEFG.org": id("Plans", "planning-2026") + id("Uno", one) + id("Bank copy", "copied-id-1"),
		".foveaignore": "banks\n",
	})
	if v.State.CopyOf("a.sync-conflict-20260314-101112-ABCDEFG.org") == "" {
		t.Fatal("no conflict copy")
	}
	for name, want := range map[string]string{
		"planning": "Plans", "id:planning": "Plans", "7a0c": "Trip", one[:35] + "1": "Uno", "vault-of": "Vault", "secret-number-1": "Bank PIN 4711",
		"Bank PIN 4711": "Bank PIN 4711",
		"plan":          "titles that begin so", "plannin": "", "7a0": "", "3f0c": "could mean 2 nodes", "secret-number": "",
		"Bank": "", "ba": "", "copied-i": "", ".fovea": "", "": "",
	} {
		n, err := v.Resolve(name)
		switch {
		case err == nil:
			if n.Title() != want {
				t.Errorf("%q is %q, want %q", name, n.Title(), want)
			}
		case !strings.Contains(err.Error(), want) || strings.Contains(strings.ReplaceAll(err.Error(), name, ""), "Bank"):
			t.Errorf("%q: %v, want %q", name, err, want)
		}
	}
}

// TestBaseNames checks that a bare file name before a line number is enough if only one
// folder has it; otherwise the error lists the files. A name without a line never means
// a file in a folder, because a write to it would go there.
func TestBaseNames(t *testing.T) {
	v := view(map[string]string{
		"doc/faq.org": "* One\n* Two\n", "a/x.org": "* A\n", "b/x.org": "* B\n", "x.org": "* Top\n", "c/y.org": "* C\n", "d/y.org": "* D\n", "deep/er/z.org": "* Z\n",
	})
	for name, want := range map[string]string{
		"faq.org:2": "Two", "faq.org:+0": "One", "x.org:1": "Top", "z.org:1": "Z", "er/z.org:1": "", "q.org:1": "", ":1": "", "org:1": "",
		"y.org:1": "give the path of the file in the memex:\n  c/y.org\n  d/y.org",
		"faq.org": "give the path of the file in the memex:\n  doc/faq.org",
	} {
		n, err := v.Resolve(name)
		switch {
		case want != "" && !strings.Contains(want, "\n"):
			if err != nil || n.Title() != want {
				t.Errorf("%q is %v, %v, want %q", name, n, err, want)
			}
		case err == nil || !strings.Contains(err.Error(), want):
			t.Errorf("%q is %v, %v, want an error with %q", name, n, err, want)
		}
	}
}
