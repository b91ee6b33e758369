// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package foreign_test

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/foreign"
	"github.com/fovea-memory/fovea/node"
	"github.com/fovea-memory/fovea/org"
)

// sealed is a folder in which one folder cannot be read.
type sealed struct {
	fstest.MapFS
	folder string
}

func (s sealed) Open(name string) (fs.File, error) {
	if name == s.folder {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	return s.MapFS.Open(name)
}

func (s sealed) ReadDir(name string) ([]fs.DirEntry, error) {
	if name == s.folder {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: fs.ErrInvalid}
	}
	return s.MapFS.ReadDir(name)
}

// TestNothingStopsTheRest: what cannot be read or carried over is named, and all else is read.
func TestNothingStopsTheRest(t *testing.T) {
	in := folder(map[string]string{
		"good.md": "good [[\u00fcber]]\n", "bad/in.md": "x", "notes.txt": "x", "img/a.png": "x",
		"u\u0308ber.md": "composed otherwise\n",
		"control.md":    "a\x1b[31m\u202eb\n",
		"front.md":      "---\ntitle: [open\n* no headline\n---\nbody\n",
		"twice.md":      "---\ntitle: one\ntitle: two\n---\n",
	})
	in["link.md"] = &fstest.MapFile{Mode: fs.ModeSymlink, Data: []byte("/etc/passwd")}
	docs, problems, err := foreign.Read(t.Context(), foreign.Source{Kind: foreign.Markdown, In: sealed{in, "bad"}})
	if err != nil || len(docs) != 5 {
		t.Fatal(len(docs), err)
	}
	for _, want := range []string{
		"bad: its name is not UTF-8", "img/a.png: not a Markdown file, left out; of this kind: 2", "link.md: a symbolic link, left out; of this kind: 1",
		"control.md: characters that are not shown, or are no text, became U+FFFD: 2", "twice.md: TITLE is there twice", "front.md: front matter",
	} {
		if !slices.ContainsFunc(problems, func(line string) bool { return strings.HasPrefix(line, want) }) {
			t.Errorf("%q is not said in %q", want, problems)
		}
	}
	for _, d := range docs {
		if d.Source == "good.md" && !strings.Contains(d.Body, "[[id:") {
			t.Errorf("the link leads nowhere: %q", d.Body)
		}
		if d.Source == "front.md" && (!strings.Contains(d.Body, ",* no headline") || strings.Contains(d.Body, "\n* ")) {
			t.Errorf("the front matter is no code: %q", d.Body)
		}
	}
}

// TestFit: no name becomes too long for a file system, and two of them stay two.
func TestFit(t *testing.T) {
	for _, tc := range []string{
		"a/b.org", strings.Repeat("x", 255), strings.Repeat("\u00fc", 126) + ".md.org", strings.Repeat("y", 400) + "/" + strings.Repeat("z", 252) + ".org",
	} {
		got := foreign.Fit(tc)
		for name := range strings.SplitSeq(got, "/") {
			if len(name) > 200 {
				t.Errorf("%q has a name of %d bytes", got, len(name))
			}
		}
		if path.Ext(got) != path.Ext(tc) || got != strings.ToValidUTF8(got, "") || len(tc) < 200 && got != tc {
			t.Errorf("%q became %q", tc, got)
		}
		if other := foreign.Fit("w" + tc); other == got {
			t.Errorf("two names became %q", got)
		}
	}
}

// TestLinesOfOtherPrograms: the mark with which some programs begin a file costs no line, and what
// is no UTF-8 is said.
func TestLinesOfOtherPrograms(t *testing.T) {
	read := func(text string) ([]foreign.Document, string) {
		in := folder(map[string]string{"a.jsonl": text})
		docs, problems, err := foreign.Read(t.Context(), foreign.Source{Kind: foreign.JSONLines, In: in, File: "a.jsonl"})
		if err != nil {
			t.Fatal(err)
		}
		return docs, strings.Join(problems, "\n")
	}
	if docs, said := read("\ufeff{\"title\":\"one\"}\r\n{\"title\":\"two\"}"); len(docs) != 2 || said != "" {
		t.Errorf("%d notes, %q", len(docs), said)
	}
	if docs, said := read("\xff\xfe{\x00}\x00\n\x00"); len(docs) != 0 || said != "a.jsonl: UTF-16, not UTF-8, left out" {
		t.Errorf("%d notes, %q", len(docs), said)
	}
	values := `{"key":true,"title":["one"],"name":"two","text":false,"body":"B"}`
	docs, said := read(values + "\n" + strings.Replace(values, "two", "three", 1))
	if len(docs) != 2 || said != "" || docs[1].Title != "three" || !strings.Contains(docs[1].Body, "B") {
		t.Fatalf("%+v, %q", docs, said)
	}
	if d := cmp.Diff([][2]string{{"KEY", "true"}, {"TEXT", "false"}, {"TITLE", "one"}}, docs[1].Properties); d != "" {
		t.Error(d)
	}
	const lost = "line 1: characters that are not shown, or are no text, became U+FFFD: 1"
	for text, want := range map[string]string{
		`{"title":"a","text":"x\ud800y"}`: lost, `{"title":"a","text":"x\u0000y"}`: lost, "{\"title\":\"a\",\"text\":\"x\xffy\"}": lost,
		`{"title":"a","text":"x\ufffdy"}`: "", `{"text":"x\uFFFDy"}`: "",
	} {
		if docs, said := read(text); len(docs) != 1 || said != want {
			t.Errorf("%s: %d notes, %q", text, len(docs), said)
		}
	}
}

// TestReadEnds: the end of its context ends an import.
func TestReadEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	in := folder(map[string]string{"a.md": "x", "a.jsonl": `{"title":"a"}`})
	for _, kind := range []foreign.Kind{foreign.Markdown, foreign.JSONLines} {
		if _, _, err := foreign.Read(ctx, foreign.Source{Kind: kind, In: in, File: "a.jsonl"}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", kind, err)
		}
	}
	in["pipe.jsonl"] = &fstest.MapFile{Mode: fs.ModeNamedPipe}
	if _, _, err := foreign.Read(t.Context(), foreign.Source{Kind: foreign.JSONLines, In: in, File: "pipe.jsonl"}); !errors.Is(err, foreign.ErrNoFile) {
		t.Errorf("a pipe: %v", err)
	}
}

// TestTodoWordsCross: a headline keeps its TODO word on the way out and back, and nothing but
// words is declared.
func TestTodoWordsCross(t *testing.T) {
	const text = "#+TODO: WAIT(w@/!) NEXT | DONE(d) CANCELLED\n#+SEQ_TODO: OPEN SHUT\n* WAIT One\n* CANCELLED Two\n* SHUT Three\n"
	for _, kind := range []foreign.Kind{foreign.OKF, foreign.Claude, foreign.BasicMemory, foreign.Markdown} {
		files, _, err := foreign.Folder(t.Context(), kind, []foreign.Out{out("a.org", "a", "A", text)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		in := fstest.MapFS{"a.md": &fstest.MapFile{Data: []byte(files["a.md"])}}
		docs, problems, err := foreign.Read(t.Context(), foreign.Source{Kind: kind, In: in})
		if err != nil || len(docs) != 1 || len(problems) > 0 {
			t.Fatal(docs, problems, err)
		}
		back := docs[0].Org("x")
		d := org.Parse(back, nil)
		var got []string
		for i := range d.Headlines {
			got = append(got, d.Headlines[i].Todo+" "+d.Headlines[i].Title)
		}
		if !slices.Equal(got, []string{"WAIT One", "CANCELLED Two", "SHUT Three"}) || !d.Headlines[2].Done || d.Headlines[0].Done || strings.Contains(back, "@") {
			t.Errorf("%s: %q of\n%s", kind, got, back)
		}
	}
	in := folder(map[string]string{"a.md": "---\ntodo_words: [\"A | B\", \"x: :y\", \"\"]\n---\n# A b\n"})
	docs, problems, err := foreign.Read(t.Context(), foreign.Source{Kind: foreign.OKF, In: in})
	if err != nil || len(problems) != 2 || !slices.Equal(docs[0].Words, []string{"A | B"}) {
		t.Error(docs, problems, err)
	}
}

// out is a document on its way out.
func out(path, id, title, text string) foreign.Out {
	return foreign.Out{Node: &node.Node{ID: id, Entry: node.Entry{Path: path}, Derived: &document.Derived{Title: title}}, Text: text}
}

// TestFolderNames: two files that some file systems take for one become two, with links to each,
// and what is no text is said and becomes text.
func TestFolderNames(t *testing.T) {
	docs := []foreign.Out{out("A.org", "1", "One", "[[id:2][two]]\n"), out("a.org", "2", "Two", "\xff\n")}
	files, problems, err := foreign.Folder(t.Context(), foreign.Markdown, docs, map[string]string{"1": "A.org", "2": "a.org"})
	names := slices.Sorted(maps.Keys(files))
	if err != nil || len(names) != 2 || foreign.Fold(names[0]) == foreign.Fold(names[1]) {
		t.Fatal(files, err)
	}
	if len(problems) != 1 || !strings.HasPrefix(problems[0], "a.org: ") ||
		!strings.Contains(files[names[1]], "\uFFFD") || !strings.Contains(files[names[0]], "("+names[1]+")") {
		t.Errorf("%q %q", problems, files)
	}
}
