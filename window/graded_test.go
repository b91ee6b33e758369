// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/fovea-memory/fovea/window"
	"github.com/fovea-memory/fovea/working"
)

// deskCase is a random set of blocks, and a request for a window of them.
type deskCase struct {
	memory   *memory
	critical []string
	near     scores
	req      window.Request
}

// maxLineTokens is more than a passage of the bodies of a deskCase takes, with its number or mark
// and, where it is the first, the line about how the block is compressed.
const maxLineTokens = 40

// drawText draws the body of a block: prose, code, a list, a table, or a script without blanks.
func drawText(t *rapid.T, label string) string {
	n := rapid.IntRange(1, 30).Draw(t, label+" length")
	line := rapid.SampledFrom([]string{
		"The tide %d was %d feet high at the quay.\n\n", "- lock valve %d of pump %d\n", "| pump %d | cellar %d |\n", "第%d回の潮位は%d尺だった。\n\n",
		"// Pump%[1]d moves water.\nfunc Pump%[1]d(valve int) int {\n\treturn %[2]d\n}\n\n", "Never open valve %d before valve %d. ",
	}).Draw(t, label)
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, line, i, i*7%10)
	}
	return b.String()
}

// drawDesk draws blocks, some of them critical.
func drawDesk(t *rapid.T) deskCase {
	c := deskCase{near: scores{}}
	bodies := map[string]string{}
	var blocks []window.Item
	for i := range rapid.IntRange(1, 9).Draw(t, "blocks") {
		id, body := fmt.Sprintf("b%d", i), drawText(t, "body")
		kind := rapid.SampledFrom(working.Types).Draw(t, "type")
		class := rapid.SampledFrom([]working.Priority{working.Critical, working.Critical, working.High, working.Medium, working.Low}).Draw(t, "class")
		item := piece(id, class, 0, typed(kind, ""), confident(rapid.Float64Range(0, 1).Draw(t, "confidence")))
		if item.Body = body; kind == working.File {
			item.Body, item.Working.Path, item.Working.Deferred, item.Working.Size = "", id+rapid.SampledFrom([]string{".go", ".txt"}).Draw(t, "ext"), true, len(body)
		}
		if bodies[id] = body; class == working.Critical {
			c.critical = append(c.critical, id)
		}
		if rapid.Bool().Draw(t, "similar") {
			c.near[id] = 0.5
		}
		blocks = append(blocks, item)
	}
	c.memory = desk(blocks...)
	c.req = window.Request{
		Policy: rapid.SampledFrom(allPolicies).Draw(t, "policy"), Format: rapid.SampledFrom(allFormats).Draw(t, "format"),
		Focus:    rapid.SampledFrom([]string{"", "note"}).Draw(t, "focus"),
		Question: rapid.SampledFrom([]string{"", "which valve moves water"}).Draw(t, "question"),
		Caller:   window.Caller{Now: noon, Load: func(item *window.Item) (string, error) { return bodies[item.ID], nil }},
	}
	if layout := rapid.SampledFrom([]string{"", window.LayoutTree, window.LayoutSticky}).Draw(t, "layout"); layout != "" {
		c.req.Session = &window.Session{Layout: layout}
	}
	return c
}

// TestSmallBudgets proves of any blocks and any budget that a degraded window is within its
// budget, has the name of each critical block, never shows text of fewer for a larger
// budget, leaves no room that a line of one would fill, says what it leaves out of them and the
// budget that has all, and is the same each time.
func TestSmallBudgets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawDesk(t)
		c.req.Degrade = true
		budgets := rapid.SliceOfN(rapid.IntRange(20, 2000), 1, 4).Draw(t, "budgets")
		first := rapid.IntRange(20, 400).Draw(t, "first of some in a row")
		for i := range 12 {
			budgets = append(budgets, first+i)
		}
		slices.Sort(budgets)
		most := -1
		for _, c.req.Budget = range budgets {
			w, err := window.Build(t.Context(), c.memory, c.near, c.req)
			if tooSmall, ok := errors.AsType[*window.BudgetError](err); ok && most < 0 && tooSmall.Needed > c.req.Budget {
				continue
			}
			if err != nil {
				t.Fatalf("budget %d, after %d with text: %v", c.req.Budget, most, err)
			}
			told := c.checkCritical(t, w)
			if told < most {
				t.Fatalf("budget %d: %d critical blocks have text, %d for a smaller budget\n%s", c.req.Budget, told, most, w.Text)
			}
			most = told
			if again, _ := window.Build(t.Context(), c.memory, c.near, c.req); !cmp.Equal(w, again) {
				t.Fatalf("budget %d: the same window twice differs\n%s", c.req.Budget, cmp.Diff(w, again))
			}
		}
	})
}

// isSticky reports whether the window is filled in steps.
func (c *deskCase) isSticky() bool {
	return c.req.Session != nil && c.req.Session.Layout == window.LayoutSticky
}

// checkCritical checks what a window has of critical blocks, and returns how many have text.
func (c *deskCase) checkCritical(t *rapid.T, w *window.Window) (told int) {
	needed, cut := 0, false
	for _, id := range c.critical {
		i := slices.IndexFunc(w.Parts, func(p window.Part) bool { return p.ID == id })
		if i < 0 {
			t.Fatalf("critical block %s has not even its name\n%s", id, w.Text)
		}
		p := w.Parts[i]
		if p.Level > window.Title {
			told++
		}
		if p.Level == window.Full {
			continue
		}
		cut = cut || !strings.Contains(p.Reason, "compressed: outline") // which may be complete
		_, after, ok := strings.Cut(p.Reason, "the whole needs a budget of ")
		if _, err := fmt.Sscan(strings.TrimRight(after, ";"), &needed); ok != (err == nil) || !ok && !strings.Contains(p.Reason, "compressed: ") {
			t.Fatalf("%s: reason %q (%v)", id, p.Reason, err)
		}
	}
	if unused := w.Budget - w.Tokens; unused < 0 || cut && !c.isSticky() && unused > maxLineTokens {
		t.Fatalf("budget %d: %d tokens are not used\n%s", w.Budget, unused, w.Text)
	}
	if needed == 0 {
		return told
	}
	if needed <= w.Budget {
		t.Fatalf("budget %d: the whole needs %d", w.Budget, needed)
	}
	req := c.req
	req.Budget = needed
	all, err := window.Build(t.Context(), c.memory, c.near, req)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all.Parts {
		if slices.Contains(c.critical, p.ID) && p.Level != window.Full {
			t.Fatalf("with %d tokens, %s is shown as %s", needed, p.ID, p.Level)
		}
	}
	return told
}

// TestRoomIsUsed proves of blocks of any class that a small window leaves no room that a line of
// one that may be compressed would fill.
func TestRoomIsUsed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawDesk(t)
		c.req.Degrade, c.req.Session, c.req.Budget = true, nil, rapid.IntRange(40, 500).Draw(t, "budget")
		if c.req.Policy == window.PolicyFoveal { // which shows no others
			c.req.Policy = window.PolicyValue
		}
		if c.req.Policy == window.PolicyShares {
			c.req.Limits.Reserve = new(0)
		}
		w, err := window.Build(t.Context(), c.memory, c.near, c.req)
		if tooSmall := (*window.BudgetError)(nil); errors.As(err, &tooSmall) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
		for id, item := range c.memory.items {
			if item.Working == nil || !slices.Contains([]working.Type{working.File, working.Knowledge, working.History}, item.Working.Type) {
				continue
			}
			i := slices.IndexFunc(w.Parts, func(p window.Part) bool { return p.ID == id })
			isWhole := i >= 0 && (w.Parts[i].Level == window.Full || strings.Contains(w.Parts[i].Reason, "compressed: outline"))
			if unused := w.Budget - w.Tokens; !isWhole && unused > maxLineTokens {
				t.Fatalf("budget %d: %d tokens are not used, and %s is not whole\n%s", w.Budget, unused, id, w.Text)
			}
		}
	})
}
