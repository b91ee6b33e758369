// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea/token"
	"github.com/fovea-memory/fovea/window"
	"github.com/fovea-memory/fovea/working"
)

// goSource is a file of n functions, one of them about a gauge.
func goSource(n int) string {
	var b strings.Builder
	b.WriteString("package pump\n\nimport \"fmt\"\n\n")
	for i := range n {
		what := "valve"
		if i == n/2 {
			what = "gauge"
		}
		fmt.Fprintf(&b, "// Step%d is a long story about what is done here, told in many words.\nfunc Step%d(a, b int) int {\n", i, i)
		for range 8 {
			fmt.Fprintf(&b, "\tfmt.Println(\"%s\", a, b, %d)\n", what, i)
		}
		b.WriteString("\treturn a + b\n}\n\n")
	}
	return b.String()
}

// prose is a text of n paragraphs; every seventh repeats the topic, and
// one is about a gauge.
func prose(n int) string {
	var b strings.Builder
	b.WriteString("The harbour keeps a diary.\n\n")
	for i := range n {
		switch {
		case i == n/2:
			b.WriteString("On that day the gauge was lost.\n\n")
		case i%7 == 0:
			fmt.Fprintf(&b, "The harbour and its crane moved the cargo of ship %d.\n\n", i)
		default:
			fmt.Fprintf(&b, "Nothing%d was%d said%d of%d it%d at all, as far as anybody remembers.\n\n", i, i, i, i, i)
		}
	}
	return b.String()
}

func typed(kind working.Type, file string) func(*window.Working) {
	return func(w *window.Working) { w.Type, w.Path, w.Whole = kind, file, file != "" }
}

// bulky is a block whose body is read when it is needed, except that of a block of no file.
func bulky(id string, class working.Priority, kind working.Type, file, body string) (window.Item, func(*window.Item) (string, error)) {
	item := piece(id, class, 0, typed(kind, file))
	if file == "" {
		item.Body = body
		return item, nil
	}
	item.Working.Deferred, item.Working.Size = true, len(body)
	return item, func(*window.Item) (string, error) { return body, nil }
}

// TestCompressed proves that a block that does not fit is compressed by its type, that
// others stay, that one that fits is whole, and that reason and metadata say how.
func TestCompressed(t *testing.T) {
	for _, tc := range []struct {
		name, file string
		kind       working.Type
		body       string
		how        string // "" if the block is not compressed
		has, lacks string
	}{
		{"code", "pump.go", working.File, goSource(100), "outline", "func Step99(a, b int) int", "long story"},
		{"prose", "diary.txt", working.File, prose(400), "extract", "cargo of ship 399.", ""},
		{"a file of a language without outline", "pump.zig", working.File, prose(400), "extract", "The harbour keeps a diary.", ""},
		{"code that defines nothing", "empty.go", working.File, prose(400), "extract", "crane moved the cargo", ""},
		{"knowledge", "base.go", working.Knowledge, prose(400), "extract", "crane moved the cargo", ""},
		{"history", "", working.History, prose(400), "extract", "crane moved the cargo", ""},
		{"a task stays", "", working.Task, prose(400), "", "", "crane moved"},
		{"rom stays", "rom.go", working.ROM, prose(400), "", "", "crane moved"},
	} {
		for _, policy := range []string{window.PolicyValue, window.PolicyShares} {
			for _, format := range allFormats {
				t.Run(strings.Join([]string{tc.name, policy, format}, "/"), func(t *testing.T) {
					item, load := bulky("b", working.High, tc.kind, tc.file, tc.body)
					req := window.Request{Policy: policy, Format: format, Budget: 3000, Caller: window.Caller{Load: load}}
					m := desk(item)
					w := build(t, m, nil, req)
					if tc.how == "" {
						if strings.Contains(w.Text, tc.lacks) || strings.Contains(w.Text, "compressed") {
							t.Errorf("it is compressed:\n%s", w.Text)
						}
						return
					}
					p := part(t, w, "b")
					if p.Level != window.Snippet || !strings.Contains(p.Reason, "compressed: "+tc.how) || p.Problem != "" {
						t.Errorf("got %+v", p)
					}
					if !strings.Contains(w.Text, tc.has) || tc.lacks != "" && strings.Contains(w.Text, tc.lacks) {
						t.Errorf("want %q and not %q in\n%s", tc.has, tc.lacks, w.Text)
					}
					if said := `"compressed":"` + tc.how; format == window.FormatJSON && (!json.Valid([]byte(w.Text)) || !strings.Contains(w.Text, said)) {
						t.Errorf("the metadata do not say %s", said)
					}
					if said := "compressed: " + tc.how; format != window.FormatJSON && !strings.Contains(w.Text, said) {
						t.Errorf("the text does not say %s", said)
					}
					req.Budget = 200_000
					if whole := part(t, build(t, m, nil, req), "b"); whole.Level != window.Full || strings.Contains(whole.Reason, "compressed") {
						t.Errorf("with room for it: %+v", whole)
					}
				})
			}
		}
	}
}

// TestCompressedForQuestion proves that a compressed block has what the request is about: the
// body of the function, the paragraph.
func TestCompressedForQuestion(t *testing.T) {
	for _, tc := range []struct {
		file, body  string
		budget      int
		want, lacks string
	}{
		{"pump.go", goSource(100), 5000, `fmt.Println("gauge", a, b, 50)`, `fmt.Println("valve", a, b, 49)`},
		{"diary.txt", prose(800), 1500, "On that day the gauge was lost.", "Nothing11 "},
	} {
		item, load := bulky("b", working.Medium, working.File, tc.file, tc.body)
		for _, policy := range []string{window.PolicyValue, window.PolicyShares} {
			w := build(t, desk(item), nil, window.Request{Policy: policy, Budget: tc.budget, Task: "mend the gauge", Caller: window.Caller{Load: load}})
			if !strings.Contains(w.Text, tc.want) || strings.Contains(w.Text, tc.lacks) {
				t.Errorf("%s, %s: want %q and not %q:\n%s", tc.file, policy, tc.want, tc.lacks, w.Text)
			}
		}
	}
}

// TestCompressedCritical proves that critical blocks that do not fit share the room, those
// that fit their share are whole, and that the smallest budget is named exactly.
func TestCompressedCritical(t *testing.T) {
	a, _ := bulky("a", working.Critical, working.File, "a.go", goSource(200))
	b, _ := bulky("b", working.Critical, working.File, "b.txt", prose(900))
	c, _ := bulky("c", working.Critical, working.File, "c.txt", prose(5))
	bodies := map[string]string{"a": goSource(200), "b": prose(900), "c": prose(5)}
	for _, policy := range allPolicies {
		for _, degrade := range []bool{false, true} {
			req := window.Request{Policy: policy, Budget: 4000, Focus: "note", Degrade: degrade, Caller: window.Caller{
				Load: func(item *window.Item) (string, error) { return bodies[item.ID], nil }}}
			m := desk(a, b, c)
			w := build(t, m, nil, req)
			for id, want := range map[string]string{"a": "compressed: outline", "b": "compressed: extract", "c": "working memory, critical"} {
				p := part(t, w, id)
				if !strings.Contains(p.Reason, want) || (p.Level == window.Full) != (id == "c") || id != "c" && (p.Tokens < 600 || p.Tokens > 2700) {
					t.Errorf("%s, %t: %+v", policy, degrade, p)
				}
			}
			if degrade {
				continue
			}
			req.Budget = 60
			_, err := window.Build(t.Context(), m, nil, req)
			small, ok := errors.AsType[*window.BudgetError](err)
			if !ok || small.Critical != 3 {
				t.Fatalf("%s: got %v", policy, err)
			}
			for req.Budget = small.Needed; req.Budget < small.Needed+300; req.Budget += 37 {
				build(t, m, nil, req)
			}
			req.Budget = small.Needed - 1
			if _, err := window.Build(t.Context(), m, nil, req); err == nil {
				t.Errorf("%s: a budget of %d works, which is less than the smallest", policy, req.Budget)
			}
		}
	}
}

// TestCompressedInSession proves that a session is not told again of a compressed block, and
// that the sticky layout has a critical block whole where the whole text has room for it.
func TestCompressedInSession(t *testing.T) {
	item, load := bulky("b", working.High, working.File, "pump.go", goSource(100))
	req := window.Request{Budget: 3000, Session: &window.Session{}, Caller: window.Caller{Load: load}}
	m := desk(item)
	first := build(t, m, nil, req)
	req.Session = &window.Session{Shown: first.Shown}
	if second := build(t, m, nil, req); !strings.Contains(first.Text, "func Step3(") || strings.Contains(second.Text, "func Step3(") {
		t.Errorf("first\n%s\nthen\n%s", first.Text, second.Text)
	}
	text := goSource(10)
	item, load = bulky("b", working.Critical, working.File, "pump.go", text)
	req = window.Request{Budget: 8000, Session: &window.Session{Layout: window.LayoutSticky}, Caller: window.Caller{Load: load}}
	if p := part(t, build(t, desk(item), nil, req), "b"); p.Level != window.Full || p.Tokens < 1000 {
		t.Errorf("sticky: %+v", p)
	}
	req.Budget = 600
	if p := part(t, build(t, desk(item), nil, req), "b"); p.Level != window.Snippet {
		t.Errorf("sticky, with no room: %+v", p)
	}
}

// TestCompressedBadFiles proves that what cannot be read, and what no model summarizes, is a
// problem of its block alone, and that the extract stands.
func TestCompressedBadFiles(t *testing.T) {
	var all []window.Item
	for _, id := range []string{"gone", "good", "liar", "told"} {
		item, _ := bulky(id, working.High, working.File, id+".txt", prose(400))
		all = append(all, item)
	}
	req := window.Request{Policy: window.PolicyShares, Budget: 8000, Caller: window.Caller{
		Load: func(item *window.Item) (string, error) {
			if item.ID == "gone" {
				return "", errors.New("there is no such file")
			}
			return prose(400), nil
		},
		Summarize: func(item *window.Item) (window.Summary, error) {
			switch item.ID {
			case "liar":
				return window.Summary{}, errors.New("the server lies")
			case "told":
				return window.Summary{Text: "It is about a harbour.", By: "tiny", Of: "told.txt:1-802 sha256:ab"}, nil
			}
			return window.Summary{}, nil
		},
	}}
	w := build(t, desk(all...), nil, req)
	for id, want := range map[string]string{"gone": "there is no such file", "good": "", "liar": "the server lies", "told": ""} {
		if p := part(t, w, id); p.Problem != want {
			t.Errorf("%s: %+v", id, p)
		}
	}
	mentions(t, part(t, w, "told").Reason, "compressed: summary by tiny, with an extract")
	mentions(t, w.Text, "Summary by the model tiny of told.txt:1-802 sha256:ab, which nobody checked:", "It is about a harbour.", "From the text itself:",
		"crane moved the cargo", "(cannot be read: there is no such file)")
}

// TestCompressedWithoutItsSummary proves that a window with no room for the summary of a model
// names no model.
func TestCompressedWithoutItsSummary(t *testing.T) {
	item, load := bulky("b", working.High, working.File, "diary.txt", prose(400))
	for _, policy := range []string{window.PolicyValue, window.PolicyShares} {
		req := window.Request{Policy: policy, Budget: 700, Caller: window.Caller{Load: load, Summarize: func(*window.Item) (window.Summary, error) {
			return window.Summary{Text: strings.Repeat("A long summary. ", 200), By: "tiny", Of: "diary.txt"}, nil
		}}}
		w := build(t, desk(item), nil, req)
		if p := part(t, w, "b"); !strings.Contains(p.Reason, "compressed: extract") || strings.Contains(w.Text+p.Reason, "tiny") {
			t.Errorf("%s: %+v\n%s", policy, p, w.Text)
		}
	}
}

// TestCompressedManyBlocks proves that a window reads no more files than it can show something
// of, however many do not fit.
func TestCompressedManyBlocks(t *testing.T) {
	var all []window.Item
	for i := range 500 {
		item, _ := bulky(fmt.Sprintf("f%03d", i), working.High, working.File, "pump.go", goSource(50))
		all = append(all, item)
	}
	text, read := goSource(50), 0
	req := window.Request{Budget: 4000, Counter: token.Estimate(), Caller: window.Caller{
		Load: func(*window.Item) (string, error) { read++; return text, nil }}}
	m := desk(all...)
	for _, req.Policy = range []string{window.PolicyValue, window.PolicyShares} {
		read = 0
		w := build(t, m, nil, req)
		compressed := slices.DeleteFunc(slices.Clone(w.Parts), func(p window.Part) bool { return p.Level != window.Snippet })
		if len(compressed) < 2 || read > len(w.Parts)+20 {
			t.Errorf("%s: %d files are read for %d parts, %d of them compressed", req.Policy, read, len(w.Parts), len(compressed))
		}
	}
}

// TestNamedDefinition proves that of a file of 400 functions a small window has the body of the one that
// the question names, beside the signatures of others.
func TestNamedDefinition(t *testing.T) {
	var source strings.Builder
	for i := range 400 {
		fmt.Fprintf(&source, "def handler_%d(request):\n    check(request, %[1]d)\n    total = 0\n    for item in request.items:\n"+
			"        total += item.price * %[1]d\n    log(\"handled by number %[1]d\")\n    return total\n\n\n", i)
	}
	item := piece("code.py", working.High, 0, typed(working.File, "code.py"))
	item.Body = source.String()
	for _, policy := range []string{window.PolicyValue, window.PolicyShares} {
		w := build(t, desk(item), nil, window.Request{Policy: policy, Budget: 3000, Question: "what does handler_77 do?"})
		mentions(t, w.Text, "total += item.price * 77", `log("handled by number 77")`)
		lacks(t, w.Text, "item.price * 78")
		if signatures := strings.Count(w.Text, "def handler_"); signatures < 20 {
			t.Errorf("%s: %d signatures", policy, signatures)
		}
	}
}
