// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package foreign_test

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/internal/foreign"
	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/internal/inert"
	"github.com/fovea-memory/fovea/org"
)

// folder makes a file system of files by name.
func folder(files map[string]string) fstest.MapFS {
	in := fstest.MapFS{}
	for name, text := range files {
		in[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return in
}

const mixed = `---
name: Heat pump
description: What the fitter said
metadata:
  type: project
  since: 2026-03-01
tags: [house, water heater]
id: 7
deep: [{a: 1}]
---
# Heat pump

It is **loud** in *June*, says ` + "`log | x`" + ` and [[Second note|the other]], see
[the shelf](sub/third.md) or [web](https://example.org/a(b)) or [lost](gone.md). ![[photo.png]]

> A quote
> of two lines

1. one
   more
2. two
   - [x] done
   - [ ] open

## Setting

| key | value |
|-----|-------|
| a|b |
| c   | ~~d~~ |

` + "```sh\n* no headline\n#+no: keyword\necho $HOME\n```\n" + `
<div onclick="x">raw</div>

***

#### Deep
:PROPERTIES:
* not a headline
#+begin_src emacs-lisp :eval yes
[[elisp:(x)][run]]
`

// TestMarkdown: what Markdown says is said in Org, and what cannot be carried is named.
func TestMarkdown(t *testing.T) {
	docs, problems, err := foreign.Read(t.Context(), foreign.Source{Kind: foreign.Claude, Label: "notes", In: folder(map[string]string{
		"heat.md": mixed, "Second note.md": "No front matter.\n", "sub/third.md": "---\nname: Third\n---\n\n[back](../heat.md#x)\n",
		".obsidian/x.md": "hidden", "picture.png": "png", "bad.md": "a\xff", "broken.md": "---\na: [\n---\ntext\n",
	})})
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for _, d := range docs {
		out.WriteString("=== " + d.Path + "\n" + d.Org("claude notes "+d.Source))
	}
	for _, p := range problems {
		out.WriteString("!!! " + p + "\n")
	}
	foveatest.Golden(t, "markdown.org", []byte(out.String()))
}

// TestKeptAsItIs: code and a text that is kept lose no blank, and a link keeps its address around a link to a note.
func TestKeptAsItIs(t *testing.T) {
	tangled := strings.Repeat("[", 600) + "  \nsecond \t\n"
	docs, _, err := foreign.Read(t.Context(), foreign.Source{Kind: foreign.Markdown, In: folder(map[string]string{
		"code.md": "```sh\na \n\n  b  \n```\n", "links.md": "[see [[code]]](https://example.org/1), [see [[gone]]][ref]\n\n[ref]: https://example.org/2\n",
		"tangled.md": tangled,
	})})
	if err != nil || len(docs) != 3 {
		t.Fatal(len(docs), err)
	}
	want := []string{
		"#+begin_src sh :eval never :tangle no :noweb no\na \n\n  b  \n#+end_src\n",
		"[[https://example.org/1][see ((id:" + docs[0].ID + ")(code))]], [[https://example.org/2][see gone]]\n",
		"#+begin_example\n" + tangled + "#+end_example\n",
	}
	for i, d := range docs {
		if diff := cmp.Diff(want[i], strings.TrimLeft(d.Body, "\n")); diff != "" {
			t.Errorf("%s: %s", d.Path, diff)
		}
	}
}

// TestLines: each object is a headline of one file, known by its id or its text.
func TestLines(t *testing.T) {
	in := folder(map[string]string{"dir/mem.jsonl": strings.Join([]string{
		`{"id":"a1","title":"Port","content":"The port is **8080**.\n\n# Why\n\nOld firewall","tags":["net","a b"],"created_at":"2026-01-02","n":3}`,
		`{"memory":"Likes rye bread"}`, ``, `{"memory":"Likes rye bread"}`, `{"id":"a1","title":"again"}`, `no json`, `{"x":{"y":1}}`, `[1]`,
		`{"id":"o","title":"Org","format":"org","content":"*bold*\n* no headline\n","properties":{"K":["v","w"]},"meta":{"a":{"b":1},"c":2}}`,
	}, "\n")})
	docs, problems, err := foreign.Read(t.Context(), foreign.Source{Kind: foreign.JSONLines, Label: "mem", File: "dir/mem.jsonl", In: in})
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for _, d := range docs {
		out.WriteString("=== " + d.Path + "\n" + d.Org("jsonl "+d.Source))
	}
	for _, p := range problems {
		out.WriteString("!!! " + p + "\n")
	}
	foveatest.Golden(t, "lines.org", []byte(out.String()))
}

// TestRefused: each bad source is named.
func TestRefused(t *testing.T) {
	for _, tc := range []struct {
		name, label string
		kind        foreign.Kind
		files       map[string]string
		want        error
	}{
		{"an unknown kind", "", "notion", nil, foreign.ErrKind},
		{"an empty folder", "", foreign.OKF, map[string]string{"a.txt": "x"}, foreign.ErrNothing},
		{"an empty file", "a.jsonl", foreign.JSONLines, map[string]string{"a.jsonl": "\n"}, foreign.ErrNothing},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if _, _, err := foreign.Read(t.Context(), foreign.Source{Kind: tc.kind, File: tc.label, In: folder(tc.files)}); !errors.Is(err, tc.want) {
				t.Errorf("%v, want %v", err, tc.want)
			}
		})
	}
}

// TestSame: the same source gives the same text, and another label other ids.
func TestSame(t *testing.T) {
	read := func(label string) foreign.Document {
		docs, _, err := foreign.Read(t.Context(), foreign.Source{Kind: foreign.Claude, Label: label, In: folder(map[string]string{"heat.md": mixed})})
		if err != nil || len(docs) != 1 {
			t.Fatal(docs, err)
		}
		return docs[0]
	}
	if diff := cmp.Diff(read("a"), read("a")); diff != "" {
		t.Error(diff)
	}
	if one, other := read("a"), read("b"); one.ID == other.ID {
		t.Error("two labels give one id")
	}
}

// FuzzMarkdown: no text makes Read panic, and nothing in what it makes acts.
func FuzzMarkdown(f *testing.F) {
	f.Add(mixed)
	f.Add("---\nname: x\n---\n* [ ] [[elisp:x]]\n")
	f.Fuzz(func(t *testing.T, source string) {
		docs, _, err := foreign.Read(t.Context(), foreign.Source{Kind: foreign.BasicMemory, In: folder(map[string]string{"a.md": source})})
		if err != nil {
			return
		}
		for _, d := range docs {
			text := d.Org("basic-memory f a.md")
			key := ":" + foreign.PropertyText + ":"
			if foreign.TextDigest(text) != foreign.TextDigest(strings.Replace(text, key, key+" ", 1)) {
				t.Errorf("the digest depends on its own line:\n%s", text)
			}
			if body := inert.Text(d.Body); !strings.Contains(d.Body, "* ") && body != d.Body {
				t.Errorf("something acts in\n%s", d.Body)
			}
			if org.HasMoreHeadlines(text, strings.Count(d.Body, "*")+1) {
				t.Errorf("more headlines than headings:\n%s", text)
			}
		}
	})
}

// FuzzLines: no text makes Read panic.
func FuzzLines(f *testing.F) {
	f.Add(`{"id":1,"text":"a","tags":[]}` + "\n{")
	f.Fuzz(func(t *testing.T, source string) {
		docs, _, err := foreign.Read(t.Context(), foreign.Source{Kind: foreign.JSONLines, File: "a.jsonl", In: folder(map[string]string{"a.jsonl": source})})
		if err != nil {
			return
		}
		for _, d := range docs {
			if text := d.Org("jsonl"); !strings.HasPrefix(text, "* ") {
				t.Errorf("no headline: %q", text)
			}
		}
	})
}

const everyOrg = `:PROPERTIES:
:ID: doc
:END:
#+title: All
#+filetags: :a:

Before *bold /both/* =code= ~a` + "`" + `b~ +gone+ _under_
[[id:other][the other]] [[id:none][nowhere]] [[https://example.org]] [[https://example.org/a b][web]]\\
next line

* TODO Call *Ann* [[id:other]] :x:y:
SCHEDULED: <2026-11-25 Wed>
:PROPERTIES:
:K: v
:END:
- one
  more
  1. deep
  2. [X] done
- term :: meaning
- [ ] open

#+begin_src sh
,* star
` + "```" + `
#+end_src
| a | b |
|---+---|
| 1 | 2|

: fixed
#+begin_quote
said
#+end_quote
-----
** Sub
text
`

// TestValues: a value of front matter is text where it holds nothing else, also within lists of one.
func TestValues(t *testing.T) {
	const text = "---\nrelated: [[Note]]\nlist: [x, null, y]\nnone:\nmore: [[a, b], c]\n---\n"
	docs, problems, err := foreign.Read(t.Context(), foreign.Source{Kind: foreign.Markdown, Label: "x", In: folder(map[string]string{"a.md": text})})
	if err != nil || len(problems) != 1 || problems[0] != "a.md: more holds more than text, left out" {
		t.Fatal(problems, err)
	}
	if d := cmp.Diff([][2]string{{"RELATED", "Note"}, {"LIST", "x, y"}}, docs[0].Properties); d != "" {
		t.Error(d)
	}
}

// TestToMarkdown: what Org says is said in Markdown.
func TestToMarkdown(t *testing.T) {
	got := foreign.ToMarkdown(org.Parse(everyOrg, nil), func(id string) string { return map[string]string{"other": "other.md"}[id] })
	foveatest.Golden(t, "every.md", []byte(got))
}

// FuzzToMarkdown: no text makes it panic.
func FuzzToMarkdown(f *testing.F) {
	f.Add(everyOrg)
	f.Fuzz(func(_ *testing.T, text string) {
		foreign.ToMarkdown(org.Parse(text, nil), func(string) string { return "" })
	})
}

// TestBounds: a short file becomes no large one, and takes no time that grows with its square.
func TestBounds(t *testing.T) {
	for name, tc := range map[string]struct {
		text string
		most int // bytes of the Org text for each of the file
	}{
		"brackets": {strings.Repeat("[", 1<<20), 2},
		"lists":    {strings.Repeat("- ", 4000) + "x", 600},
		"links":    {strings.Repeat("[a](", 30_000), 2},
		"quotes":   {strings.Repeat("> ", 10_000) + "x", 2},
		"cells":    {"|" + strings.Repeat("a|", 5000) + "\n|" + strings.Repeat("-|", 5000) + "\n" + strings.Repeat("|\n", 2000), 2},
	} {
		docs, _, err := foreign.Read(t.Context(), foreign.Source{Kind: foreign.Markdown, In: folder(map[string]string{"a.md": tc.text})})
		if err != nil {
			t.Fatal(err)
		}
		if n := len(docs[0].Body); n > tc.most*len(tc.text) {
			t.Errorf("%s: %d bytes became %d", name, len(tc.text), n)
		}
	}
	ticks := strings.Repeat("`", 1<<20)
	out := foreign.ToMarkdown(org.Parse("#+begin_example\n"+ticks+"\n#+end_example\n", nil), func(string) string { return "" })
	if !strings.HasPrefix(out, ticks+"`\n") {
		t.Error("the fence is not longer than what stands in it")
	}
}

// TestTwoObjectsInALine: what stands behind an object is not lost unnamed.
func TestTwoObjectsInALine(t *testing.T) {
	in := folder(map[string]string{"a.jsonl": `{"title":"one"}{"title":"two"}` + "\n" + `{"title":"three"}` + "\r\n"})
	docs, problems, err := foreign.Read(t.Context(), foreign.Source{Kind: foreign.JSONLines, In: in, File: "a.jsonl"})
	if err != nil || len(docs) != 1 || docs[0].Title != "three" || len(problems) != 1 {
		t.Error(docs, problems, err)
	}
}

// TestTagsThatAct: no text from elsewhere makes Emacs encrypt a headline.
func TestTagsThatAct(t *testing.T) {
	notes := folder(map[string]string{"a.md": "---\ntags: [crypt, house]\n---\n# b :crypt:\n\n## c :x:crypt:\n"})
	lines := folder(map[string]string{"b.jsonl": `{"title":"d :crypt:crypt:","text":"e","tags":["crypt"]}`})
	for _, s := range []foreign.Source{{Kind: foreign.Markdown, In: notes}, {Kind: foreign.JSONLines, In: lines, File: "b.jsonl"}} {
		docs, problems, err := foreign.Read(t.Context(), s)
		if err != nil || len(docs) != 1 || len(problems) != 1 {
			t.Fatal(docs, problems, err)
		}
		text := docs[0].Org("x")
		d := org.Parse(text, nil)
		for i := range d.Headlines {
			if tags := d.Headlines[i].Tags; slices.Contains(tags, "crypt") {
				t.Errorf("%q has tags %q", d.Headlines[i].Title, tags)
			}
		}
		if strings.Contains(text, ":crypt:") {
			t.Errorf("%q", text)
		}
	}
}

// TestTags: tags are the same by every way in, a list in a text is one, and each tag that becomes
// another is named. Several that become the same are one.
func TestTags(t *testing.T) {
	for _, tc := range []struct {
		value string // as JSON, which is YAML too
		want  []string
		told  []string
	}{
		{`["wood","winter"]`, []string{"wood", "winter"}, nil},
		{`"wood,winter"`, []string{"wood", "winter"}, nil},
		{`"wood; winter"`, []string{"wood", "winter"}, nil},
		{`"#wood, #winter,"`, []string{"wood", "winter"}, nil},
		{`"[\"wood\", \"winter\"]"`, []string{"wood", "winter"}, nil},
		{`["wood",null,7]`, []string{"wood", "7"}, nil},
		{`["a.b","a_b","+x","x"]`, []string{"a_b", "x"}, []string{"a.b", "+x"}},
		{`["x","x"]`, []string{"x"}, nil},
		{`["_x_","x_","C++","#_"]`, []string{"_x_", "x_", "C", "_"}, []string{"C++"}},
		{`["project","conflict","ARCHIVE","crypt","Project","archive"]`, []string{"source_project", "source_conflict", "source_ARCHIVE", "source_crypt",
			"Project", "archive"}, []string{"project", "conflict", "ARCHIVE", "crypt"}},
		{`["x\u3164"]`, nil, []string{"x\u3164"}},
		{`["!","deep/tag"]`, []string{"deep_tag"}, []string{"!", "deep/tag"}},
		{`"two words"`, []string{"two_words"}, []string{"two words"}},
		{`null`, nil, nil},
	} {
		for kind, s := range map[foreign.Kind]foreign.Source{
			foreign.JSONLines: {In: folder(map[string]string{"n.jsonl": `{"title":"Shed","text":"dry","tags":` + tc.value + "}\n"}), File: "n.jsonl"},
			foreign.Markdown:  {In: folder(map[string]string{"n.md": "---\ntags: " + tc.value + "\n---\ndry\n"})},
		} {
			s.Kind = kind
			docs, problems, err := foreign.Read(t.Context(), s)
			if err != nil || len(docs) != 1 || !slices.Equal(docs[0].Tags, tc.want) || len(problems) != len(tc.told) {
				t.Fatalf("%s: tags: %s: %v, %+v, %v", kind, tc.value, err, docs, problems)
			}
			for i, word := range tc.told {
				if !strings.Contains(problems[i], strconv.Quote(word)) {
					t.Errorf("%s: tags: %s: %q is not named: %s", kind, tc.value, word, problems[i])
				}
			}
		}
	}
}
