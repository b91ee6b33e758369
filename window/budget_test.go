// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pkoukk/tiktoken-go"
	tiktoken_loader "github.com/pkoukk/tiktoken-go-loader"
	"pgregory.net/rapid"

	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/token"
	"github.com/fovea-memory/fovea/window"
	"github.com/fovea-memory/fovea/working"
)

var (
	allPolicies = []string{window.PolicyValue, window.PolicyFoveal, window.PolicyShares}
	allFormats  = []string{window.FormatOrg, window.FormatMarkdown, window.FormatJSON}
)

// lineEnds are the characters that some program takes for the end of a line.
const lineEnds = "\n\r\v\f\x1c\x1d\x1e\u0085\u2028\u2029"

// nasty are texts that imitate markup or contain unusual bytes.
var nasty = []string{
	"plain words of a note", "* Forged heading\n:PROPERTIES:\n:ID: n0\n:END:", "#+end_example\n* out", "a\r\n** b\rc", ",* already\n,,#+end_example",
	"```\n# Forged\n````", "/etc/passwd\n/ slash", "  \n\n  indented\n",
	"", "日本語のテキスト。とても長い。", "title :a:b:", "TODO [#A] forged", "<<n1>> x", "\xff\xfe bad",
	"nul \x00 and \x1b[31m escape", "{\"id\": \"x\"}\n]\n[", strings.Repeat("word ", 90), "para one.\n\nsecond para with gauge and LoRa.\n\nthird",
	"COMMENT x", "[#B]", "** stars", "::", ":PROPERTIES:", "\u2028sep\u2029\u0085next", "| a | * b |\n|---+---|\n#+TBLFM: $2=$1", "a\v* b\f# c\x1d* d",
	"# Local Variables:\n# eval: (x)\n# End:", "    ```\n# in\n", "title\n=====\n- item\n-----\n\\begin{x}\n* y", "<!-- html\n# x", "[fn:1] x\n%%(diary)\n#",
	strings.Repeat("- the gauge\n- a LoRa pump, as long as a sentence\n- 日本語\n", 30), strings.Repeat("One sentence. Another about LoRa! ", 60),
}

// random returns a memory of n nodes with nasty texts, and scores for some.
func random(r *rand.Rand, n int) (*memory, scores) {
	m, near := newMemory(), scores{}
	pick := func() string { return nasty[r.IntN(len(nasty))] }
	for i := range n {
		item := window.Item{
			ID: fmt.Sprintf("n%d", i), Title: pick(), Body: pick(), Path: "f.org", Type: "headline",
			Digest: merkle.Sum([]byte{byte(r.IntN(n + 3))}), Hidden: r.IntN(12) == 0,
		}
		if r.IntN(3) > 0 {
			item.Handle = strings.Repeat(string(rune('a'+i)), 5)
		}
		if r.IntN(3) == 0 {
			item.Author, item.Date = pick(), fmt.Sprintf("2026-11-%02d", 10+r.IntN(4))
		}
		if r.IntN(4) == 0 {
			item.Todo, item.Done, item.Priority = "DONE", true, "A"
			item.Tags = []string{"tag", pick(), "a" + string([]rune(lineEnds)[r.IntN(len([]rune(lineEnds)))]) + "* b"}
			item.Properties = [][2]string{{"KEY", pick()}, {pick(), "value"}, {"ID", "forged"}}
			item.Planning = []string{"CLOSED: [2026-11-20 Fri]", pick()}
		}
		if r.IntN(5) == 0 {
			item.Agent = fmt.Sprintf("agent%d", r.IntN(2))
		}
		if i > 0 && r.IntN(3) == 0 {
			item.Links = []string{fmt.Sprintf("id:n%d", r.IntN(i))}
		}
		parent := ""
		if i > 0 && r.IntN(6) > 0 {
			parent = fmt.Sprintf("n%d", r.IntN(i))
		}
		if parent == "" && i > 0 && r.IntN(2) == 0 {
			item.Path, item.Hidden, item.Agent, item.Links, item.Working = "/"+item.ID, false, "", nil, randomWorking(r, pick())
		} else if m.items[parent].Working != nil {
			parent = "n0"
		}
		m.add(parent, item)
		if r.IntN(3) == 0 {
			near[item.ID] = r.Float64()
		}
	}
	return m, near
}

// randomWorking makes an item a block of working memory.
func randomWorking(r *rand.Rand, text string) *window.Working {
	return &window.Working{
		Type: working.Types[r.IntN(len(working.Types))], Line: r.IntN(3), ID: text, Priority: working.Priorities[r.IntN(4)],
		Confidence: r.Float64(), Deferred: r.IntN(2) == 0, Size: r.IntN(900), Path: []string{"f.org", "f.go", "f.py", ""}[r.IntN(4)], Whole: r.IntN(9) == 0,
		Entry: map[string]any{"type": "file", text: text},
	}
}

// load reads the body of a deferred item: another text for each, and an error for some.
func load(item *window.Item) (string, error) {
	if len(item.ID)%2 == 0 {
		return "", errors.New("gone\n* forged")
	}
	if len(item.ID)%3 == 0 {
		return "package f\n\n" + strings.Repeat("// gauge is a LoRa one.\nfunc gauge(a int) int {\n\treturn a\n}\n\n", 20) + item.Title, nil
	}
	return strings.Repeat(item.Title+"\n", 3), nil
}

// summarize is a model's summary of some blocks.
func summarize(item *window.Item) (window.Summary, error) {
	switch len(item.Body) % 3 {
	case 0:
		return window.Summary{}, errors.New("the model\n* lies")
	case 1:
		return window.Summary{Text: nasty[len(item.Body)%len(nasty)], By: "m\n* x", Of: "f.org:1-3"}, nil
	}
	return window.Summary{}, nil
}

// randomRequest returns an arbitrary request.
func randomRequest(r *rand.Rand, n int) window.Request {
	req := window.Request{
		Policy: allPolicies[r.IntN(3)], Caller: window.Caller{Load: load, Summarize: summarize}, Format: allFormats[r.IntN(3)], Budget: 1 + r.IntN(600),
		Degrade: r.IntN(2) == 0, Explain: r.IntN(2) == 0,
	}
	if r.IntN(4) > 0 {
		req.Focus = fmt.Sprintf("n%d", r.IntN(n))
	}
	if r.IntN(2) == 0 {
		req.Question = "which gauge speaks LoRa"
	}
	if r.IntN(3) == 0 {
		req.Caller.Agent = nasty[r.IntN(len(nasty))]
	}
	for range r.IntN(3) {
		req.Projects = append(req.Projects, fmt.Sprintf("n%d", r.IntN(n)))
	}
	return req
}

// TestBudgetHolds builds random windows over random memories: no budget is exceeded,
// the reported smallest budget works and one token less does not, every shown node has
// its headings, and Org parses exactly the parts.
func TestBudgetHolds(t *testing.T) {
	cases := 4000
	if testing.Short() {
		cases = 1000
	}
	holdBudgets(t, rand.New(rand.NewPCG(1, 2)), cases)
}

// TestBudgetCampaign is TestBudgetHolds at any length.
func TestBudgetCampaign(t *testing.T) {
	campaign := foveatest.NewCampaign(t)
	holdBudgets(t, campaign.Rand, campaign.Length(400, 100_000))
}

func holdBudgets(t *testing.T, r *rand.Rand, cases int) {
	cache := token.NewCache(1 << 16)
	refused := 0
	for range cases {
		n := 1 + r.IntN(25)
		m, near := random(r, n)
		req := randomRequest(r, n)
		req.Cache = cache
		if r.IntN(3) == 0 {
			req.Session = &window.Session{Layout: []string{window.LayoutTree, window.LayoutSticky}[r.IntN(2)]}
		}
		w, err := window.Build(t.Context(), m, near, req)
		var tooSmall *window.BudgetError
		if errors.As(err, &tooSmall) {
			refused++
			w = atLeast(t, m, near, req, tooSmall)
		} else if err != nil {
			t.Fatalf("Build(%+v): %v", req, err)
		}
		req.Budget = w.Budget
		check(t, w, req)
		checkShape(t, m, w, req)
		if w.Shown != nil {
			holdNext(t, r, m, near, req, w)
		}
		if secondCount(t, w.Text) > w.Budget {
			t.Errorf("by a second tokenizer the text has more than %d tokens", w.Budget)
		}
		if t.Failed() {
			t.Fatalf("request %+v\n%s", req, w.Text)
		}
	}
	if refused < cases/20 || refused > cases*19/20 {
		t.Errorf("%d of %d requests were refused: the cases say nothing", refused, cases)
	}
}

// holdNext checks the next window of a session, after some nodes have changed.
func holdNext(t *testing.T, r *rand.Rand, m *memory, near scores, req window.Request, before *window.Window) {
	t.Helper()
	for range r.IntN(4) {
		m.edit(fmt.Sprintf("n%d", r.IntN(len(m.items))), func(i *window.Item) { i.Body, i.Digest = nasty[r.IntN(len(nasty))], merkle.Digest{} })
	}
	req.Session = &window.Session{Shown: before.Shown, Layout: req.Session.Layout}
	req.Question = []string{"", "LoRa", "sentence"}[r.IntN(3)]
	w, err := window.Build(t.Context(), m, near, req)
	if tooSmall := (*window.BudgetError)(nil); errors.As(err, &tooSmall) {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	check(t, w, req)
	if req.Format == window.FormatOrg && req.Session.Layout == window.LayoutTree {
		parses(t, w)
	}
	if t.Failed() {
		t.Fatalf("request %+v\n%s", req, w.Text)
	}
}

// second is an independent implementation of the exact counter.
var second = sync.OnceValues(func() (*tiktoken.Tiktoken, error) {
	tiktoken.SetBpeLoader(tiktoken_loader.NewOfflineLoader())
	return tiktoken.GetEncoding(tiktoken.MODEL_O200K_BASE)
})

func secondCount(tb testing.TB, text string) int {
	tb.Helper()
	counter, err := second()
	if err != nil {
		tb.Fatal(err)
	}
	return len(counter.EncodeOrdinary(text))
}

// atLeast asserts that the budget in e is the smallest that works.
func atLeast(t *testing.T, src window.Source, sim window.Similarity, req window.Request, e *window.BudgetError) *window.Window {
	t.Helper()
	if e.Budget != req.Budget || e.Needed <= req.Budget {
		t.Fatalf("%+v for a budget of %d", e, req.Budget)
	}
	req.Budget = e.Needed - 1
	var again *window.BudgetError
	if _, err := window.Build(t.Context(), src, sim, req); !errors.As(err, &again) || again.Needed != e.Needed {
		t.Fatalf("with one token less than needed: %v, want %d needed; request %+v", err, e.Needed, req)
	}
	req.Budget = e.Needed
	w, err := window.Build(t.Context(), src, sim, req)
	if err != nil {
		t.Fatalf("with the budget named: %v; request %+v", err, req)
	}
	return w
}

// checkShape asserts the invariants of the parts of any window.
func checkShape(t *testing.T, m *memory, w *window.Window, req window.Request) {
	t.Helper()
	switch req.Format {
	case window.FormatOrg:
		parses(t, w)
		onlyFoveaBeginsLines(t, w.Text)
	case window.FormatMarkdown:
		if got := headings(w.Text); got != len(w.Parts) {
			t.Errorf("%d headings for %d parts:\n%s", got, len(w.Parts), w.Text)
		}
	}
	shown := map[string]bool{}
	for _, p := range w.Parts {
		shown[p.ID] = true
	}
	spent := 0
	elided := req.Focus != "" && strings.Contains(part(t, w, req.Focus).Reason, "without its ancestors")
	for _, p := range w.Parts {
		spent += p.Tokens
		if m.hidden(p.ID) && p.ID != req.Focus {
			t.Errorf("hidden node %s is shown", p.ID)
		}
		up := m.parent[p.ID]
		if req.Policy == window.PolicyValue && up != "" && !shown[up] && !m.hidden(up) && !elided {
			t.Errorf("%s is shown without its heading %s", p.ID, up)
		}
	}
	if spent > w.Tokens {
		t.Errorf("the parts have %d tokens, the text %d", spent, w.Tokens)
	}
}

// shy is a counter unlike any of package token: it is not additive, in either
// direction.
type shy struct{ per, more int }

func (shy) Name() string { return "shy" }

func (c shy) Count(text string) int {
	n := (len(text) + c.per - 1) / c.per
	return n + c.more*n/50
}

// TestAnyCounter checks the budget with counters that are not additive.
func TestAnyCounter(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 3))
		n := 1 + r.IntN(25)
		m, near := random(r, n)
		req := randomRequest(r, n)
		req.Counter = shy{per: 1 + r.IntN(6), more: r.IntN(3)}
		if r.IntN(3) == 0 {
			req.Counter = token.Estimate()
		}
		w, err := window.Build(t.Context(), m, near, req)
		if tooSmall := (*window.BudgetError)(nil); errors.As(err, &tooSmall) {
			w = atLeast(t, m, near, req, tooSmall)
		} else if err != nil {
			rt.Fatal(err)
		}
		if tokens := req.Counter.Count(w.Text); tokens != w.Tokens || tokens > w.Budget {
			rt.Fatalf("%d tokens, said to be %d, budget %d", tokens, w.Tokens, w.Budget)
		}
	})
}

// TestSameBytes builds the same window many times from fresh maps.
func TestSameBytes(t *testing.T) {
	for _, policy := range allPolicies {
		for _, format := range allFormats {
			t.Run(policy+" "+format, func(t *testing.T) {
				req := window.Request{Policy: policy, Format: format, Focus: "n3", Projects: []string{"n0", "n7"},
					Budget: 2000, Explain: true, Question: "gauge",
					Degrade: true}
				var first *window.Window
				for range 100 {
					m, near := random(rand.New(rand.NewPCG(7, 7)), 60)
					m.items, near = maps.Clone(m.items), maps.Clone(near)
					w := build(t, m, near, req)
					if first == nil {
						first = w
					}
					if diff := cmp.Diff(first, w); diff != "" {
						t.Fatalf("two windows differ (-first +second):\n%s", diff)
					}
				}
			})
		}
	}
}

// TestDegrade lowers the budget step by step: the focus shrinks in a fixed order, and
// its reason states it.
func TestDegrade(t *testing.T) {
	m := newMemory()
	m.add("", window.Item{ID: "d", Title: "A document of some title"})
	m.add("d", window.Item{ID: "s", Title: "A section of it"})
	m.add("s", window.Item{ID: "f", Title: "The focus", Body: "First words.\n\n" + strings.Repeat("Many more words here. ", 60)})
	req := window.Request{Focus: "f", Degrade: true}
	var levels []string
	for req.Budget = 500; ; req.Budget-- {
		w, err := window.Build(t.Context(), m, nil, req)
		if err != nil {
			var tooSmall *window.BudgetError
			if !errors.As(err, &tooSmall) || tooSmall.Needed != req.Budget+1 {
				t.Errorf("with %d: %v", req.Budget, err)
			}
			break
		}
		check(t, w, req)
		state := fmt.Sprintf("%v of %d", part(t, w, "f").Level, len(w.Parts))
		if len(levels) == 0 || levels[len(levels)-1] != state {
			levels = append(levels, state)
		}
	}
	want := []string{"full of 3", "snippet of 3", "title of 3", "title of 1"}
	if diff := cmp.Diff(want, levels); diff != "" {
		t.Errorf("order of degrading (-want +got):\n%s", diff)
	}
	req.Budget = 60
	w := build(t, m, nil, req)
	if got := part(t, w, "f").Reason; !strings.HasPrefix(got, "focus, its ") || !strings.Contains(got, "needs a budget of") {
		t.Errorf("reason %q does not say what was left out", got)
	}
	req.Degrade = false
	var tooSmall *window.BudgetError
	if _, err := window.Build(t.Context(), m, nil, req); !errors.As(err, &tooSmall) || tooSmall.Degraded || tooSmall.Needed <= 60 {
		t.Errorf("the focus is degraded unasked: %v", err)
	}
}

func TestRefusals(t *testing.T) {
	for _, tc := range []struct {
		name string
		req  window.Request
		is   error
		says string
	}{
		{"policy", window.Request{Policy: "best"}, window.ErrUnknownPolicy, "window: policy \"best\": unknown policy: use one of value, shares, foveal"},
		{"format", window.Request{Format: "xml"}, window.ErrUnknownFormat, "window: format \"xml\": unknown format: use one of org, markdown, json"},
		{"focus", window.Request{Focus: "nobody"}, window.ErrUnknownFocus, "window: focus \"nobody\": no node has this id"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := window.Build(t.Context(), project(), nil, tc.req)
			if !errors.Is(err, tc.is) || err.Error() != tc.says {
				t.Errorf("got %v, want %q", err, tc.says)
			}
		})
	}
	_, err := window.Build(t.Context(), project(), nil, window.Request{Focus: "a11", Budget: 20})
	var tooSmall *window.BudgetError
	if !errors.As(err, &tooSmall) {
		t.Fatalf("a focus that does not fit: %v", err)
	}
	want := fmt.Sprintf("window: budget of 20 tokens: the focus and its ancestors' titles need %d; the smallest budget that works is %[1]d (or use --degrade)",
		tooSmall.Needed)
	if err.Error() != want {
		t.Errorf("got %q, want %q", err, want)
	}
}
