// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"errors"
	"fmt"
	"path"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/faultfs"
	"github.com/fovea-memory/fovea/org"
)

// markdown is a small second format of files: headlines of #, with an id as {#id}, and
// no other metadata.
type markdown struct{}

func (markdown) Owns(p string) bool { return path.Ext(p) == ".md" }

// mdHeadline is a headline of a Markdown text.
type mdHeadline struct {
	start, end, level, parent int // the own text, and the index of the parent, -1 for none
	title, id                 string
	titleStart, titleEnd      int
}

// mdText is a parsed Markdown text.
type mdText struct {
	source    string
	section   int // end of the text before the first headline
	headlines []mdHeadline
}

func parseMarkdown(text string) mdText {
	t := mdText{source: text, section: len(text)}
	at := 0
	var open []int
	for line := range strings.Lines(text) {
		rest := strings.TrimLeft(line, "#")
		if level := len(line) - len(rest); level > 0 && strings.HasPrefix(rest, " ") {
			h := mdHeadline{start: at, level: level, parent: -1, titleStart: at + level + 1}
			h.title = strings.TrimSpace(rest)
			if title, id, ok := strings.Cut(h.title, " {#"); ok {
				h.title, h.id = title, strings.TrimSuffix(id, "}")
			}
			h.titleEnd = h.titleStart + len(h.title)
			for len(open) > 0 && t.headlines[open[len(open)-1]].level >= level {
				open = open[:len(open)-1]
			}
			if len(open) > 0 {
				h.parent = open[len(open)-1]
			}
			if n := len(t.headlines); n > 0 {
				t.headlines[n-1].end = at
			} else {
				t.section = at
			}
			open, t.headlines = append(open, len(t.headlines)), append(t.headlines, h)
		}
		at += len(line)
	}
	if n := len(t.headlines); n > 0 {
		t.headlines[n-1].end = len(text)
	}
	return t
}

func (markdown) Outline(_ string, stored []document.Part, _ document.Files) *document.Outline {
	t := parseMarkdown(document.Join(stored))
	o := &document.Outline{Label: func(_ int, property string) string { return property + " " }}
	o.Parts = []document.Part{{Parent: -1, Type: document.TypeDocument, Content: t.source[:t.section], Derived: &document.Derived{}, Line: 1}}
	for i, h := range t.headlines {
		line := 1 + strings.Count(t.source[:h.start], "\n")
		text := t.source[h.start:h.end]
		first, _, _ := strings.Cut(text, "\n")
		o.Parts = append(o.Parts, document.Part{
			Parent: t.headlines[i].parent + 1, Type: document.TypeHeadline, Content: text, Key: document.Key{Title: h.title}, Line: line,
			Derived: &document.Derived{Title: h.title, Level: h.level, DeclaredID: h.id, BodyStart: min(len(first)+1, len(text))},
		})
	}
	return o
}

// Merge merges title and body separately by lines, and writes the level.
func (markdown) Merge(m *document.Merging, base, won, lost *document.Part, level int, also ...document.Conflict) (document.Part, []document.Conflict) {
	f := document.Fields{Merging: m, Conflicts: also}
	if base == nil {
		base = &document.Part{}
	}
	text := document.Pick(base.Content, won.Content, lost.Content, func() string {
		return f.Lines("body", base.Content, won.Content, lost.Content)
	})
	if level > 0 {
		text = strings.Repeat("#", level) + strings.TrimLeft(text, "#")
	}
	return document.Part{Type: won.Type, Content: text}, f.Conflicts
}

func (markdown) Parse(_, text string, _ document.Files) document.Text { return parseMarkdown(text) }

func (markdown) Conflicts(*document.Part) []document.Conflict { return nil }

func (markdown) Resolved(*document.Part, bool, ...int) (string, error) { return "", document.ErrMoved }

func (markdown) IsLocal(string) bool { return true }

func (markdown) Extend(_, _, _ string, _, _ int, _ document.Files) *document.Outline { return nil }

func (markdown) KeptWhole(string) string { return "" }

func (t mdText) Keywords() (all, done []string) { return nil, nil }

func (t mdText) Source() string { return t.source }
func (t mdText) Headlines() int { return len(t.headlines) }

func (t mdText) Own(i int) (start, end int) {
	if i < 0 {
		return 0, t.section
	}
	return t.headlines[i].start, t.headlines[i].end
}

func (t mdText) Edit(i int, _ time.Time, edits ...document.Edit) ([]document.Splice, error) {
	var out []document.Splice
	for _, edit := range edits {
		switch edit := edit.(type) {
		case document.SetTitle:
			out = append(out, document.Splice{Start: t.headlines[i].titleStart, End: t.headlines[i].titleEnd, New: edit.Title})
		case document.InsertHeadline:
			level, end := 1, len(t.source)
			if i >= 0 {
				level = t.headlines[i].level + 1
				for k := i + 1; k < len(t.headlines) && t.headlines[k].level >= level; k++ {
					end = t.headlines[k].end
				}
			}
			var text strings.Builder
			text.WriteString(strings.Repeat("#", level) + " " + edit.Title)
			for _, p := range edit.Properties {
				if p.Key == "ID" {
					text.WriteString(" {#" + p.Value + "}")
				}
			}
			out = append(out, document.Splice{Start: end, End: end, New: text.String() + "\n" + edit.Body + "\n"})
		default:
			return nil, fmt.Errorf("Markdown has no %T", edit)
		}
	}
	return out, nil
}

// Place checks all documents alike.
func (m markdown) Place(document.Text, func(id string) bool) document.Place { return m }

// Check refuses scripts, which a browser would run.
func (markdown) Check(_ document.Place, before, after string) error {
	if strings.Contains(after, "<script") && !strings.Contains(before, "<script") {
		return errors.New("it holds a script")
	}
	return nil
}

// TestMarkdown leads a second format of files through a memory: ingest, search, edits as
// splices, a remembered note, merge of a copy, and a restart.
func TestMarkdown(t *testing.T) {
	set := func(o *fovea.Options) { o.Formats = document.Formats{org.Format{}, markdown{}} }
	a := &machine{t: t, name: "a", d: disks{faultfs.New(), faultfs.New()}, hour: new(atomic.Int64), set: set}
	const text = "Intro\n# Bees {#bees}\nThe hive hums.\n## Queen {#queen}\nShe lays eggs.\n# Tools\nA smoker.\n"
	a.d.write(t, map[string]string{"garden.md": text, "plan.org": "* Plan\n"})
	a.open()
	a.sync()
	if n, ok := a.m.View().Get("queen"); !ok || n.Parent != "bees" || n.Title() != "Queen" || n.Body() != "She lays eggs.\n" {
		t.Fatalf("the node is %+v, %v", n, ok)
	}
	if hits, err := a.m.View().Search("smoker", 1, nil, time.Time{}); err != nil || len(hits) != 1 || hits[0].Node.Title() != "Tools" {
		t.Fatalf("the search finds %v, %v", hits, err)
	}
	if _, err := a.m.Notes().Edit(t.Context(), "bees", nil, document.SetTitle{Title: "Honey bees"}); err != nil {
		t.Fatal(err)
	}
	want := strings.Replace(text, "# Bees", "# Honey bees", 1)
	if got := a.d.files(t)["garden.md"]; got != want {
		t.Fatalf("the title is edited into %q, want %q", got, want)
	}
	if _, err := a.m.Notes().Edit(t.Context(), "bees", nil, document.SetTodo{Keyword: "TODO"}); err == nil {
		t.Error("an edit that the format does not have is made")
	}
	_, id, _, err := a.m.Notes().Remember(t.Context(), "garden.md", document.InsertHeadline{Title: "Swarm", Body: "In May."}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if want += "# Swarm {#" + id + "}\nIn May.\n"; a.d.files(t)["garden.md"] != want {
		t.Fatalf("the note is written into %q, want %q", a.d.files(t)["garden.md"], want)
	}
	script := document.InsertHeadline{Title: "Bad", Body: "<script>x</script>"}
	if _, _, _, err := a.m.Notes().Remember(t.Context(), "garden.md", script, nil); err == nil {
		t.Error("an agent writes a script")
	}
	b := &machine{t: t, name: "b", d: a.d.clone(), hour: a.hour, set: set}
	b.open()
	a.write("garden.md", strings.Replace(want, "She lays", "She always lays", 1))
	b.write("garden.md", strings.Replace(want, "A smoker.", "A smoker, a veil.", 1))
	if _, conflicts := a.from(b); len(conflicts) > 0 {
		t.Errorf("the merge has conflicts: %v", conflicts)
	}
	want = strings.Replace(strings.Replace(want, "She lays", "She always lays", 1), "A smoker.", "A smoker, a veil.", 1)
	if got := a.d.files(t)["garden.md"]; got != want {
		t.Errorf("the merge is %q, want %q", got, want)
	}
	root := a.root()
	if err := a.m.Close(); err != nil {
		t.Fatal(err)
	}
	if a.open(); a.root() != root {
		t.Error("the root is another one after a restart")
	}
	a.whole(t)
}
