// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/internal/view"
	"github.com/fovea-memory/fovea/node"
	"github.com/fovea-memory/fovea/window"
)

// A chooser makes a window for a request. The focus is nil for a question alone.
type chooser struct {
	name   string
	choose func(t testing.TB, o *opened, req window.Request) *window.Window
}

// choosers are the policies of the package window, and the simplest one there could be:
// whole hits of the search, best first, each that fits into what is left.
var choosers = []chooser{
	{window.PolicyValue, byPolicy(window.PolicyValue)},
	{window.PolicyFoveal, byPolicy(window.PolicyFoveal)},
	{"best hits until full", bestHits},
}

func byPolicy(policy string) func(testing.TB, *opened, window.Request) *window.Window {
	return func(t testing.TB, o *opened, req window.Request) *window.Window {
		t.Helper()
		req.Policy = policy
		return o.window(t, req)
	}
}

// bestHits is a window of whole notes under bare headlines, without ids or anything else.
func bestHits(t testing.TB, o *opened, req window.Request) *window.Window {
	t.Helper()
	w := &window.Window{Budget: req.Budget, Policy: "best hits"}
	put := func(n *node.Node) {
		text := fmt.Sprintf("* %s\n%s\n", n.Title(), strings.TrimSpace(bodyOf(n)))
		if cost := tokens(text); w.Tokens+cost <= req.Budget {
			w.Text, w.Tokens = w.Text+text, w.Tokens+cost
			w.Parts = append(w.Parts, window.Part{ID: n.ID, Title: n.Title(), Level: window.Full})
		}
	}
	question := req.Question
	if focus, ok := o.view.Get(req.Focus); ok {
		put(focus)
		question = focus.Title() + "\n" + focus.Body() + "\n" + question
	}
	hits, err := o.view.Search(question, 1000, nil, qualityTime)
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range hits {
		if h.Node.ID != req.Focus {
			put(h.Node)
		}
	}
	return w
}

// policyRows compares the choosers: evidence, and the share of text in 2,000 tokens.
func policyRows(t testing.TB, emit printer) {
	forms := locomoForms(t)
	talk := talkOf(t, seeds[0], foveatest.Size(150_000, 10_000)).asLibrary()
	for _, data := range []struct {
		name      string
		libraries []library
	}{
		{"turns", forms.turns}, {"notes", forms.notes}, {"sessions", forms.sessions}, {"talk 1", []library{talk}},
	} {
		for _, c := range choosers {
			emit(data.name+": "+c.name, both(data.libraries, func(l library) *figures { return chosen(t, l, c) }))
		}
	}
	for _, c := range choosers {
		emit("manual: "+c.name, readManual(t).graded(t, c, []int{1000, 2000, 4000, 8000}))
	}
}

// chosen asks all questions of a library.
func chosen(t testing.TB, l library, c chooser) *figures {
	t.Helper()
	o, f := openLibrary(t, l), newFigures()
	for _, q := range l.questions {
		for _, budget := range budgets {
			w := c.choose(t, o, window.Request{Question: q.text, Budget: budget})
			f.add(fmt.Sprintf("ER@%d", budget), o.shown(w, q.gold))
			if budget == 2000 {
				f.textShare(o.view, w)
			}
		}
	}
	return f
}

// TestBestHits keeps the simplest policy honest: it shows whole notes, the best first, and
// stays within its budget.
func TestBestHits(t *testing.T) {
	dir := t.TempDir()
	text := "* Long\n" + strings.Repeat("gauge battery river ", 200) + "\n* Short\nThe gauge.\n* Other\nNothing.\n"
	if err := os.WriteFile(filepath.Join(dir, "a.org"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	o := &opened{view: view.Of(viewOf(t, dir))}
	w := bestHits(t, o, window.Request{Question: "gauge battery", Budget: 100})
	if want := "* Short\nThe gauge.\n"; w.Text != want || w.Tokens != tokens(want) || len(w.Parts) != 1 {
		t.Errorf("got %q with %d tokens and %d parts", w.Text, w.Tokens, len(w.Parts))
	}
}

func viewOf(t testing.TB, dir string) fovea.View {
	t.Helper()
	return ingestFolder(t, dir).View()
}
