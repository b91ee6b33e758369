// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window_test

import (
	"encoding/json"
	"fmt"
	"regexp"
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
// like, with a handle before them or an id.
func TestTitlesForgeNothing(t *testing.T) {
	for _, title := range []string{
		"plain", "TODO buy", "DONE", "COMMENT hidden", "[#A] urgent", "ends like tags :a:b:", ":only:", "* star", "two\nlines", "x\n* Forged",
		"x\r:PROPERTIES:", "<<other>> id", "tab\tand\x00nul", "", "   ", "# comment", ":PROPERTIES:", "#+begin_src", "\u202ereversed", "記\n憶", "\x00\n",
	} {
		for _, policy := range allPolicies {
			for _, handle := range []string{"abcde", ""} {
				t.Run(fmt.Sprintf("%s %q %s", policy, title, handle), func(t *testing.T) {
					m := one(window.Item{Title: title, Body: "b", Handle: handle})
					w := build(t, m, nil, window.Request{Policy: policy, Projects: []string{"d"}, Focus: "n"})
					head := parses(t, w).Headlines[1]
					drawer := 0
					if policy == window.PolicyFoveal {
						drawer = 1 // of the id
					}
					if head.Todo != "" || head.Priority != "" || head.Tags != nil || head.Commented || len(head.Properties) != drawer {
						t.Errorf("Org reads %+v", head)
					}
					if strings.ContainsAny(head.Title, "\n\r\x00\t") || head.Title == "" {
						t.Errorf("the title is %q", head.Title)
					}
				})
			}
		}
	}
}

// TestIDsForgeNothing: an id that stands for a missing handle is no markup either.
func TestIDsForgeNothing(t *testing.T) {
	for _, id := range []string{"TODO", "[#A]", "COMMENT", "*", "* x", "a\nb", "a\u2028* b", ":a:", "#+begin_src", "DONE x :tag:"} {
		m := newMemory().add("", window.Item{ID: id, Title: ":x:", Path: "d.org"})
		head := parses(t, build(t, m, nil, window.Request{})).Headlines[0]
		if head.Todo != "" || head.Priority != "" || head.Tags != nil || head.Commented {
			t.Errorf("%q: Org reads %+v", id, head)
		}
	}
}

// TestOrgKeepsWhatIsMeant parses keyword, priority, tags, planning and properties back,
// and the body unchanged except its indentation.
func TestOrgKeepsWhatIsMeant(t *testing.T) {
	body := "text\n* star\n,* escaped\n  #+begin_src\n,,#+end_example\n#+end_example\n:END:\n: fixed\nDEADLINE: <2026-11-20 Fri>\n\n{{{m}}}\nend"
	item := window.Item{
		Title: "Title", Handle: "abcde", Todo: "TODO", Priority: "B", Tags: []string{"x", "y", "not a tag"}, Body: body,
		Planning:   []string{"DEADLINE: <2026-11-20 Fri>", "forged\nline"},
		Properties: [][2]string{{"effort", "1:00"}, {"a b", "no"}, {"id", "stolen"}, {"K", "v\n:END:"}},
	}
	for _, policy := range allPolicies {
		t.Run(policy, func(t *testing.T) {
			w := build(t, one(item), nil, window.Request{Focus: "n", Policy: policy})
			head := parses(t, w).Headlines[len(w.Parts)-1]
			got := []string{head.Todo, head.Priority, head.Title, strings.Join(head.Tags, ","), head.Deadline}
			for _, p := range head.Properties {
				got = append(got, p.Key+"="+p.Value)
			}
			want := []string{"TODO", "B", "abcde Title", "x,y", "<2026-11-20 Fri>"}
			start := "\n :EFFORT: 1:00 :K: v :END:\n"
			if policy == window.PolicyFoveal {
				want = []string{"TODO", "B", "Title", "x,y", "<2026-11-20 Fri>", "ID=n", "EFFORT=1:00", "K=v :END:"}
				start = "\n:END:\n"
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("Org reads otherwise (-want +got):\n%s", diff)
			}
			_, text, found := strings.Cut(w.Text[head.Start:], start)
			if !found || unindent(text) != body+"\n" {
				t.Errorf("the body reads back as %q, want %q in\n%s", unindent(text), body, w.Text)
			}
			onlyFoveaBeginsLines(t, w.Text)
		})
	}
}

// unindent removes the indentation of the lines of a body.
func unindent(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimPrefix(line, " ")
		if rest, ok := strings.CutPrefix(lines[i], ": "); ok && rest != "fixed" {
			lines[i] = rest
		}
	}
	return strings.Join(lines, "\n")
}

// onlyFoveaBeginsLines fails unless each line of an Org text begins with a blank or is one
// that Fovea writes.
func onlyFoveaBeginsLines(tb testing.TB, text string) {
	tb.Helper()
	for line := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(lineEnds, r) }) {
		if !fovealLine.MatchString(line) {
			tb.Errorf("the line %q begins with remembered text:\n%s", line, text)
		}
	}
}

var fovealLine = regexp.MustCompile(`^( |\*+ |# |(SCHEDULED|DEADLINE|CLOSED): |:[^ ]+:( |$)|GLOBAL MEMEX AWARENESS|No active projects found\.$)`)

// TestEveryLineEndIsOne: whatever a program takes for the end of a line, what follows does
// not begin a line of its own.
func TestEveryLineEndIsOne(t *testing.T) {
	for _, end := range append(strings.Split(lineEnds, ""), "\r\n", "\n\u2028") {
		item := window.Item{Title: "a" + end + "* b", Handle: "abcde", Body: "one" + end + "* two" + end + "# three", Author: "x" + end + "* y",
			Tags: []string{"a" + end + "* b"}, Properties: [][2]string{{"K", "v" + end + "* w"}}, Planning: []string{"CLOSED: x" + end + "* y"}}
		for _, format := range []string{window.FormatOrg, window.FormatMarkdown} {
			t.Run(fmt.Sprintf("%s %q", format, end), func(t *testing.T) {
				m := one(item)
				m.edit("d", func(d *window.Item) { d.Path = "a" + end + "* b.org" })
				w := build(t, m, nil, window.Request{Focus: "n", Format: format})
				if format == window.FormatOrg {
					parses(t, w)
					onlyFoveaBeginsLines(t, w.Text)
				} else if got := headings(w.Text); got != len(w.Parts) {
					t.Errorf("%d headings, want %d:\n%s", got, len(w.Parts), w.Text)
				}
				mentions(t, w.Text, "one\n", "* two\n", "# three\n")
			})
		}
	}
}

// headings counts the headings that CommonMark may read in a text: lines that begin with #
// or underline a line above, outside of fences.
func headings(text string) (count int) {
	fence := ""
	for line := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '\n' || r == '\r' }) {
		content := strings.TrimLeft(line, " ")
		switch {
		case fence != "":
			if content == fence {
				fence = ""
			}
		case len(line)-len(content) > 3:
		case strings.HasPrefix(content, "```"):
			fence = content
		case strings.HasPrefix(content, "#"), content != "" && strings.Trim(content, "=") == "", content != "" && strings.Trim(content, "-") == "":
			count++
		}
	}
	return count
}

func TestMarkdownBodies(t *testing.T) {
	for _, tc := range []struct{ name, body, want string }{
		{"one line", "text", "\n    text\n"},
		{"three lines", "a\n\n# b", "\n    a\n\n    # b\n"},
		{"four lines", "a\nb\n\n# c", "\n```\na\nb\n\n# c\n```\n"},
		{"a short run", "a `` b\nc\nd\ne", "\n```\na `` b\nc\nd\ne\n```\n"},
		{"a fence inside", "a\n```\n# Forged\n```\nb", "\n    a\n    ```\n    # Forged\n    ```\n    b\n"},
		{"other fences", "~~~\n# a\n~~~\nb", "\n```\n~~~\n# a\n~~~\nb\n```\n"},
		{"indented", "\t  a\n\t  b", "\n    a\n    b\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			item := window.Item{Title: "a *b* [c](d) `e` <f> #g", Handle: "abcde", Body: tc.body}
			w := build(t, one(item), nil, window.Request{Focus: "n", Format: window.FormatMarkdown})
			mentions(t, w.Text, "## abcde a \\*b\\* \\[c\\](d) \\`e\\` \\<f\\> \\#g"+tc.want)
			if got := headings(w.Text); got != len(w.Parts) {
				t.Errorf("%d headings, want %d:\n%s", got, len(w.Parts), w.Text)
			}
			item.Properties = [][2]string{{"K", "v"}}
			if !strings.Contains(tc.want, "\n```\na") && !strings.Contains(tc.want, "\n```\n~") {
				tc.want = "\n" + tc.want // after a paragraph, indented code needs a blank line
			}
			w = build(t, one(item), nil, window.Request{Focus: "n", Format: window.FormatMarkdown})
			mentions(t, w.Text, "\n:K: v"+tc.want)
		})
	}
}

// TestAuthorAndDayStandOnce: a heading states the author that holds below it, and the first of a run
// of notes its day; a node states only what differs, and no agent sees itself named at its own notes.
func TestAuthorAndDayStandOnce(t *testing.T) {
	m := newMemory().add("", window.Item{ID: "d", Handle: "ddddd", Title: "Notes", Path: "agents/mint/notes.org", Author: "mint", Agent: "mint"})
	note := func(handle, author, date string) {
		m.add("d", window.Item{ID: handle, Handle: handle, Title: handle, Author: author, Date: date, Agent: "mint",
			Properties: [][2]string{{"AUTHOR", author}, {"CREATED", "[" + date + " Fri 10:00]"}, {"TRUST", "unreviewed"}, {"SOURCE", "phone"}}})
	}
	note("aaaaa", "mint", "2026-11-20")
	note("bbbbb", "sage", "2026-11-20")
	note("ccccc", "mint", "2026-11-21")
	note("eeeee", "mint", "2026-11-20")
	m.add("d", window.Item{ID: "ggggg", Handle: "ggggg", Title: "ggggg", Author: "mint", Agent: "mint", Properties: [][2]string{{"SOURCE", "phone"}}})
	m.add("aaaaa", window.Item{ID: "fffff", Handle: "fffff", Title: "fffff", Author: "mint", Agent: "mint"})
	want := `* ddddd Notes
# agents/mint/notes.org, by mint
** aaaaa aaaaa
# 2026-11-20
 :SOURCE: phone
*** fffff fffff
** bbbbb bbbbb
# by sage
 :SOURCE: phone
** ccccc ccccc
# 2026-11-21
 :SOURCE: phone
** eeeee eeeee
# 2026-11-20
 :SOURCE: phone
** ggggg ggggg
# undated
 :SOURCE: phone
`
	for caller, want := range map[string]string{"": want, "mint": strings.Replace(want, ", by mint", "", 1), "sage": want} {
		_, text, _ := strings.Cut(build(t, m, nil, window.Request{Caller: window.Caller{Agent: caller}}).Text, "\n")
		if diff := cmp.Diff(want, text); diff != "" {
			t.Errorf("asked by %q (-want +got):\n%s", caller, diff)
		}
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
	if len(entries) != 2 || entries[0].ID != "n" || entries[0].Content != "T\nb <&> \u2028x" ||
		entries[0].Priority != "critical" || entries[0].Confidence != 1 {
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
