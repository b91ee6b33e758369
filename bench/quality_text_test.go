// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package bench

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/node"
	"github.com/fovea-memory/fovea/token"
	"github.com/fovea-memory/fovea/window"
)

// textShare adds the share of a window's tokens that are text of its nodes: bodies alone,
// and with titles.
func (f *figures) textShare(v fovea.View, w *window.Window) {
	if w.Tokens == 0 {
		return // nothing was found
	}
	var bodies, titles strings.Builder
	for _, p := range w.Parts {
		if n, ok := v.Get(p.ID); ok {
			bodies.WriteString(normalized(bodyOf(n)))
		}
		titles.WriteString(p.Title + "\n")
	}
	all, body, title := bodies.String(), 0, 0
	for line := range strings.Lines(w.Text) {
		words := strings.TrimSpace(normalized(line))
		if words != "" && !strings.HasPrefix(words, "*") && isFrom(all, words) {
			body += tokens(line)
		}
	}
	for line := range strings.Lines(titles.String()) {
		if strings.Contains(w.Text, strings.TrimSpace(line)) {
			title += tokens(strings.TrimSpace(line))
		}
	}
	f.add("bodies", float64(body)/float64(w.Tokens))
	f.add("text", float64(body+title)/float64(w.Tokens))
}

// isFrom reports whether the pieces of a line between ellipses stand in a text.
func isFrom(text, line string) bool {
	for piece := range strings.SplitSeq(line, "…") {
		if !strings.Contains(text, strings.TrimSpace(piece)) {
			return false
		}
	}
	return true
}

// tokens counts the tokens of a text exactly.
func tokens(text string) int {
	c, err := token.Exact()
	if err != nil {
		panic(err)
	}
	return c.Count(text)
}

// bodyOf returns the text of a node without its headline and property drawer.
func bodyOf(n *node.Node) string {
	_, body := n.Heading()
	if start := strings.Index(body, ":PROPERTIES:\n"); start >= 0 && strings.TrimSpace(body[:start]) == "" {
		if _, rest, ok := strings.Cut(body, ":END:\n"); ok {
			body = rest
		}
	}
	return body
}

// corpusShare measures the share of text in windows over the files of the corpus. The
// questions are titles of its nodes.
func corpusShare(t testing.TB, budget int) *figures {
	t.Helper()
	m := ingestFolder(t, filepath.Join(foveatest.Testdata(t), "corpus", "org"))
	v, f := m.View(), newFigures()
	var titles []string
	for n := range v.All() {
		if len(strings.Fields(n.Derived.Title)) >= 4 && len(bodyOf(n)) > 200 {
			titles = append(titles, n.Derived.Title)
		}
	}
	for _, title := range draw(newMersenne(1), titles, 40) {
		w, err := v.Window(t.Context(), window.Request{Question: title, Budget: budget})
		if err != nil {
			t.Fatal(err)
		}
		f.textShare(v, w)
	}
	return f
}

// shares measures the share of text in windows of a budget over a library.
func shares(t testing.TB, l library, budget int) *figures {
	t.Helper()
	o, f := openLibrary(t, l), newFigures()
	for _, q := range l.questions {
		f.textShare(o.view, o.window(t, window.Request{Question: q.text, Budget: budget}))
	}
	return f
}

// agentFacts are notes of an agent, each a title and a text, with questions in other
// words.
var agentFacts = []struct{ title, text, question string }{
	{"Production", "Production runs on two Hetzner machines in Falkenstein.", "where is the app hosted"},
	{"Login", "Login uses magic links; there are no passwords.", "how do users sign in"},
	{"Style", "Tabs in Go, two spaces in TypeScript.", "indentation rules"},
	{"Licence", "The code is under Apache-2.0.", "what license do we have"},
	{"Deploys", "Deploys go out on Tuesday mornings, never on Fridays.", "when do we release"},
	{"Database", "Postgres 17 with one replica; backups are kept for thirty days.", "which db do we use"},
	{"Tests", "The slow suite needs Docker and takes eleven minutes.", "how long do the integration tests run"},
	{"Team", "Mara reviews everything that touches billing.", "who must look at payment changes"},
	{"Invoices", "Invoices are sent on the third working day of a month.", "billing date"},
	{"Secrets", "Secrets live in 1Password, vault Engineering.", "where are credentials stored"},
	{"Errors", "Errors are returned and wrapped, never logged and returned.", "error handling convention"},
	{"Browser support", "We support the last two versions of Firefox and Chrome.", "which browsers must work"},
	{"API limits", "A client may send sixty requests a minute.", "rate limiting"},
	{"Names", "Tables are named in the singular.", "naming of tables"},
	{"Office", "The office key hangs behind the reception desk.", "how do I get into the building"},
	{"Migrations", "Migrations are forward only.", ""},
	{"Logs", "Logs are JSON, one object a line.", ""},
	{"Time", "All times are stored in UTC.", ""},
	{"Branches", "Branches are squashed into main.", ""},
	{"Fonts", "The brand font is Inter.", ""},
}

// factsLibrary is the facts as remember writes them.
func factsLibrary() library {
	l := library{asker: "mint"}
	var notes []remembered
	for i, a := range agentFacts {
		notes = append(notes, remembered{title: a.title, created: time.Date(2026, 11, 20, 10, i, 0, 0, time.UTC), passage: passage{a.title, a.text}})
		if a.question != "" {
			l.questions = append(l.questions, question{a.question, "fact", []string{a.title}})
		}
	}
	l.documents = []file{notesFile("mint", notes)}
	return l
}

// factFigures measures a window over all facts, and the questions about them.
func factFigures(t testing.TB) *figures {
	t.Helper()
	l := factsLibrary()
	o, f := openLibrary(t, l), newFigures()
	w := o.window(t, window.Request{Budget: 4000})
	text := 0
	for _, a := range agentFacts {
		f.add("whole", o.shown(w, []string{a.title}))
		text += tokens(a.title) + tokens(a.text)
	}
	f.add("tokens a fact beyond its text", float64(w.Tokens-text)/float64(len(agentFacts)))
	for _, q := range l.questions {
		found := o.found(t, q.text, 10)
		f.add("R@10", recallOf(found, q.gold))
		f.add("R@3", recallOf(found[:min(3, len(found))], q.gold))
		f.add("ER@1000", o.shown(o.window(t, window.Request{Question: q.text, Budget: 1000}), q.gold))
	}
	return f
}
