// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/window"
)

// one returns a memory of one document with one headline.
func one(item window.Item) *memory {
	item.ID = "n"
	return newMemory().add("", window.Item{ID: "d", Title: "Doc", Path: "d.org"}).add("d", item)
}

// TestTitlesForgeNothing parses windows as Org: titles are titles, whatever they look
// like.
func TestTitlesForgeNothing(t *testing.T) {
	for _, title := range []string{
		"plain", "TODO buy", "DONE", "COMMENT hidden", "[#A] urgent", "ends like tags :a:b:", ":only:", "* star", "two\nlines", "x\n* Forged",
		"x\r:PROPERTIES:", "<<other>> id", "tab\tand\x00nul", "", "   ", "# comment", ":PROPERTIES:", "#+begin_src", "\u202ereversed", "記\n憶", "\x00\n",
	} {
		for _, policy := range allPolicies {
			t.Run(fmt.Sprintf("%s %q", policy, title), func(t *testing.T) {
				w := build(t, one(window.Item{Title: title, Body: "b"}), nil, window.Request{Policy: policy, Projects: []string{"d"}, Focus: "n"})
				head := parses(t, w).Headlines[1]
				if head.Todo != "" || head.Priority != "" || head.Tags != nil || head.Commented || len(head.Properties) != 1 {
					t.Errorf("Org reads %+v", head)
				}
				if strings.ContainsAny(head.Title, "\n\r\x00\t") || head.Title == "" {
					t.Errorf("the title is %q", head.Title)
				}
			})
		}
	}
}

// TestOrgKeepsWhatIsMeant parses keyword, priority, tags, planning, properties and body
// back unchanged.
func TestOrgKeepsWhatIsMeant(t *testing.T) {
	body := "text\n* star\n,* escaped\n  #+begin_src\n,,#+end_example\n#+end_example\nend"
	w := build(t, one(window.Item{
		Title: "Title", Todo: "TODO", Priority: "B", Tags: []string{"x", "y", "not a tag"}, Body: body,
		Planning:   []string{"DEADLINE: <2026-11-20 Fri>", "forged\nline"},
		Properties: [][2]string{{"effort", "1:00"}, {"a b", "no"}, {"id", "stolen"}, {"K", "v\n:END:"}},
	}), nil, window.Request{Focus: "n"})
	head := parses(t, w).Headlines[1]
	got := []string{head.Todo, head.Priority, head.Title, strings.Join(head.Tags, ","), head.Deadline}
	for _, p := range head.Properties {
		got = append(got, p.Key+"="+p.Value)
	}
	want := []string{"TODO", "B", "Title", "x,y", "<2026-11-20 Fri>", "ID=n", "EFFORT=1:00", "K=v :END:"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Org reads otherwise (-want +got):\n%s", diff)
	}
	_, block, _ := strings.Cut(w.Text[head.Start:], "#+begin_example\n")
	block, _, _ = strings.Cut(block, "\n#+end_example\n")
	if strings.HasPrefix(block, "*") || strings.Contains(block, "\n#+") {
		t.Errorf("a line of the body is bare:\n%s", block)
	}
	if got := unescape(block); got != body {
		t.Errorf("the body reads back as %q, want %q", got, body)
	}
}

// unescape removes one comma per line, as Org does when it reads a block.
func unescape(block string) string {
	lines := strings.Split(block, "\n")
	for i, line := range lines {
		text := strings.TrimLeft(line, " \t")
		if rest := strings.TrimLeft(text, ","); rest != text && (strings.HasPrefix(rest, "*") || strings.HasPrefix(rest, "#+")) {
			lines[i] = line[:len(line)-len(text)] + text[1:]
		}
	}
	return strings.Join(lines, "\n")
}

func TestMarkdownFence(t *testing.T) {
	tick := "`"
	for _, tc := range []struct{ name, body, fence string }{
		{"none", "text", strings.Repeat(tick, 3)},
		{"short run", "a " + tick + " b", strings.Repeat(tick, 3)},
		{"as long", "a\n" + strings.Repeat(tick, 3) + "\n# Forged", strings.Repeat(tick, 4)},
		{"very long", strings.Repeat(tick, 30), strings.Repeat(tick, 31)},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := build(t, one(window.Item{Title: "a *b* [c](d) `e` <f> #g", Body: tc.body}), nil, window.Request{Focus: "n", Format: window.FormatMarkdown})
			mentions(t, w.Text, "\n"+tc.fence+"\n"+tc.body+"\n"+tc.fence+"\n", "## a \\*b\\* \\[c\\](d) \\`e\\` \\<f\\> \\#g `n`\n")
		})
	}
	m := one(window.Item{Title: "focus", Body: "b"})
	m.add("d", window.Item{ID: "bad", Title: "bad", Body: strings.Repeat(tick, 5000)})
	w := build(t, m, nil, window.Request{Focus: "n", Format: window.FormatMarkdown, Budget: 4000})
	if p := part(t, w, "bad"); p.Level != window.Title {
		t.Errorf("a body of backticks is shown as %v", p.Level)
	}
}

func TestJSONForm(t *testing.T) {
	w := build(t, one(window.Item{Title: "T", Todo: "TODO", Body: "b <&> \u2028x", Type: "headline"}), scores{"d": 0.5},
		window.Request{Focus: "n", Format: window.FormatJSON})
	var entries []struct {
		ID, Content, Priority string
		Confidence            float64
		Metadata              map[string]any
	}
	if err := json.Unmarshal([]byte(w.Text), &entries); err != nil {
		t.Fatalf("%v in\n%s", err, w.Text)
	}
	if len(entries) != 2 || entries[1].ID != "n" || entries[1].Content != "T\nb <&> \u2028x" ||
		entries[1].Priority != "critical" || entries[1].Confidence != 1 {
		t.Errorf("got %+v", entries)
	}
	keys := []string{"\"id\":", "\"content\":", "\"confidence\":", "\"priority\":", "\"metadata\":{"}
	for line := range strings.SplitSeq(w.Text, "\n") {
		at := 0
		for _, key := range keys {
			next := strings.Index(line, key)
			if strings.HasPrefix(line, "{") && next < at {
				t.Errorf("%s is out of order in %s", key, line)
			}
			at = next
		}
	}
}

func TestLongTitles(t *testing.T) {
	m := one(window.Item{Title: "focus"})
	m.add("d", window.Item{ID: "long", Title: strings.Repeat("many words ", 100_000)})
	w := build(t, m, nil, window.Request{Focus: "n", Budget: 1000})
	p := part(t, w, "long")
	if p.Level != window.Title || len([]rune(p.Title)) > 202 || !strings.HasSuffix(p.Title, "…") {
		t.Errorf("a title of a megabyte is shown as %v, %d runes", p.Level, len([]rune(p.Title)))
	}
}

func TestInheritedTagsStandOnce(t *testing.T) {
	m := one(window.Item{Title: "below", Tags: []string{"area", "own"}})
	m.edit("d", func(item *window.Item) { item.Tags = []string{"area"} })
	w := build(t, m, nil, window.Request{Focus: "n"})
	doc := parses(t, w)
	if diff := cmp.Diff([]string{"area", "own"}, doc.AllTags(1)); diff != "" {
		t.Errorf("tags in force (-want +got):\n%s", diff)
	}
	if n := countString(w.Text, "area"); n != 1 {
		t.Errorf("the inherited tag stands %d times", n)
	}
}

func TestReasons(t *testing.T) {
	m := newMemory()
	m.add("", window.Item{ID: "d", Title: "Doc", Path: "dir/d.org"})
	m.add("d", window.Item{ID: "f", Title: "Focus", Links: []string{"id:one", "*Named  two", "#three", "file:other.org"}})
	m.add("f", window.Item{ID: "child", Title: "Child"})
	m.add("d", window.Item{ID: "named", Title: "named Two"})
	m.add("d", window.Item{ID: "custom", Title: "x", Properties: [][2]string{{"CUSTOM_ID", "three"}}})
	m.add("d", window.Item{ID: "back", Title: "Back", Links: []string{"*focus"}})
	m.add("d", window.Item{ID: "gauge", Title: "The gauge", Body: "speaks LoRa", Agent: "robot"})
	m.add("", window.Item{ID: "o", Title: "Other", Path: "dir/other.org", Links: []string{"file:d.org::*Focus"}})
	m.add("o", window.Item{ID: "one", Title: "One"})
	m.add("o", window.Item{ID: "same", Title: "named Two"})
	m.add("o", window.Item{ID: "far", Title: "Far"})
	w := build(t, m, scores{"gauge": 1}, window.Request{Focus: "f", Question: "Which gauge has LoRa?"})
	got := map[string]string{}
	for _, p := range w.Parts {
		got[p.ID] = p.Reason
	}
	want := map[string]string{
		"d": "ancestor of the focus", "f": "focus", "child": "child of the focus", "named": "linked from the focus", "custom": "linked from the focus",
		"back": "links to the focus", "gauge": "words: gauge, lora (rank 1); by agent robot, not trusted",
		"o": "links to the focus; linked from the focus", "one": "linked from the focus", "same": "outline", "far": "outline",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("reasons (-want +got):\n%s", diff)
	}
	if last := w.Parts[len(w.Parts)-1].ID; last != "child" || w.Parts[len(w.Parts)-2].ID != "f" {
		t.Errorf("the branch of the focus does not stand last:\n%s", w.Text)
	}
	if w.Bound != 1 || w.Omitted != 0 {
		t.Errorf("with everything shown Bound = %v, Omitted = %d", w.Bound, w.Omitted)
	}
}

func TestEqualNodesStandOnce(t *testing.T) {
	m := newMemory()
	m.add("", window.Item{ID: "d", Title: "Doc"})
	for i := range 5 {
		m.add("d", window.Item{ID: fmt.Sprint("same", i), Title: "Same", Body: "same words", Digest: merkle.Sum([]byte("same"))})
	}
	w := build(t, m, scores{"same3": 1}, window.Request{Question: "same"})
	if !has(w, "same3") || len(w.Parts) != 2 || w.Omitted != 4 {
		t.Errorf("%d parts, %d omitted; want the best of the equal ones alone:\n%s", len(w.Parts), w.Omitted, w.Text)
	}
}

func TestUntrustedShare(t *testing.T) {
	m := newMemory()
	m.add("", window.Item{ID: "d", Title: "Doc"})
	near := scores{}
	for i := range 40 {
		id := fmt.Sprint("bad", i)
		m.add("d", window.Item{ID: id, Title: "gauge", Body: strings.Repeat("gauge stuffed ", 20), Agent: "robot"})
		near[id] = 1
	}
	m.add("d", window.Item{ID: "good", Title: "gauge", Body: "the owner's gauge"})
	near["good"] = 0.2
	for i := range 30 {
		m.add("d", window.Item{ID: fmt.Sprint("other", i), Title: "rain", Body: strings.Repeat("the owner's rain ", 20)})
	}
	w := build(t, m, near, window.Request{Question: "gauge", Budget: 1000})
	tokens := 0
	for _, p := range w.Parts {
		if strings.HasPrefix(p.ID, "bad") {
			tokens += p.Tokens
		}
	}
	if tokens == 0 || tokens > 300+100 { // the cap, and what is too small for the others
		t.Errorf("the agent has %d of 1000 tokens", tokens)
	}
	if part(t, w, "good").Level != window.Full {
		t.Error("the owner's note is not shown whole")
	}
}

func TestOverview(t *testing.T) {
	req := window.Request{Projects: []string{"b"}, Budget: 75, Explain: true}
	w := build(t, project(), nil, req)
	if !has(w, "doc") || !has(w, "else") || w.Omitted == 0 || len(w.OmittedTop) == 0 || w.Omitted+len(w.Parts) != 11 {
		t.Errorf("%d parts, %d omitted, first of them %v:\n%s", len(w.Parts), w.Omitted, w.OmittedTop, w.Text)
	}
}
