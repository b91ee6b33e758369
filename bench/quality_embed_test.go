// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package bench

import (
	"context"
	"flag"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fovea-memory/fovea/embed"
	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/internal/meaning"
	"github.com/fovea-memory/fovea/internal/view"
)

var (
	embedURL   = flag.String("embed", "", "BenchmarkQuality: search and windows use the vectors of the server at this `ADDRESS`")
	embedModel = flag.String("embedmodel", "", "BenchmarkQuality: the `NAME` of the model there, if it has several")
)

// flagged connects to the server that the flags name, once for all rows.
var flagged = sync.OnceValues(func() (embed.Embedder, error) {
	e, err := embed.Open(context.Background(), embed.Config{Kind: embed.KindAuto, URL: *embedURL, Model: *embedModel})
	return remember(e), err
})

// remembering asks an embedder for each text once, since many rows have the same.
type remembering struct {
	embed.Embedder
	mu    sync.Mutex
	known map[embed.Purpose]map[string]embed.Result
}

func remember(e embed.Embedder) *remembering {
	return &remembering{Embedder: e, known: map[embed.Purpose]map[string]embed.Result{embed.Document: {}, embed.Query: {}}}
}

func (r *remembering) Embed(ctx context.Context, p embed.Purpose, texts []string) ([]embed.Result, error) {
	out, missing := make([]embed.Result, len(texts)), []int{}
	r.mu.Lock()
	for i, text := range texts {
		known, ok := r.known[p][text]
		if known.Vector = slices.Clone(known.Vector); !ok {
			missing = append(missing, i)
		}
		out[i] = known
	}
	r.mu.Unlock()
	if len(missing) == 0 {
		return out, nil
	}
	asked := make([]string, len(missing))
	for i, at := range missing {
		asked[i] = texts[at]
	}
	results, err := r.Embedder.Embed(ctx, p, asked)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, at := range missing {
		out[at] = results[i]
		results[i].Vector = slices.Clone(results[i].Vector)
		r.known[p][asked[i]] = results[i]
	}
	return out, nil
}

// ranked is the view that answers a question: by words, or by vectors too where the library
// was opened with an embedder.
func (o *opened) ranked(t testing.TB, question string) *view.View {
	t.Helper()
	if o.meaning == nil || question == "" {
		return o.view
	}
	return byVectors(t, o.meaning, o.view, meaning.Hybrid, question)
}

// byVectors is a view that ranks by vectors too, or by them alone.
func byVectors(t testing.TB, x *meaning.Vectors, v *view.View, mode, question string) *view.View {
	t.Helper()
	if _, err := x.Question(t.Context(), question, time.Minute); err != nil {
		t.Fatal(err)
	}
	by, err := meaning.View(t.Context(), x, v, meaning.Request{Mode: mode, Text: question, Warn: func(err error) { t.Error(err) }})
	if err != nil {
		t.Fatal(err)
	}
	return by
}

// TestRemembering: each text is asked for once, in the order of the texts.
func TestRemembering(t *testing.T) {
	e := &counted{}
	r := remember(e)
	for _, tc := range []struct {
		texts []string
		asked int
	}{{[]string{"a", "bb"}, 2}, {[]string{"ccc", "a", "bb"}, 3}, {[]string{"bb", "ccc"}, 3}} {
		out, err := r.Embed(t.Context(), embed.Document, tc.texts)
		if err != nil || e.asked != tc.asked {
			t.Fatalf("%v: %v, %d texts were asked for, want %d", tc.texts, err, e.asked, tc.asked)
		}
		for i, text := range tc.texts {
			if got := out[i].Vector[0]; got != float32(len(text)) {
				t.Errorf("%q has the vector of a text of length %v", text, got)
			}
			out[i].Vector[0] = -1 // the caller owns it
		}
	}
}

// counted embeds a text as its length.
type counted struct{ asked int }

func (*counted) Model() embed.Model { return embed.Model{Name: "length", Dim: 1} }

func (c *counted) Embed(_ context.Context, _ embed.Purpose, texts []string) ([]embed.Result, error) {
	c.asked += len(texts)
	out := make([]embed.Result, len(texts))
	for i, text := range texts {
		out[i].Vector = []float32{float32(len(text))}
	}
	return out, nil
}

// TestRealModels: with two real models search finds no less than by words, and not because their vectors
// are left out; with the better one it finds 12 of 15 facts that are asked for in other words.
func TestRealModels(t *testing.T) {
	for name, paraphrased := range map[string]float64{"use": 12, "glove": 10} {
		t.Run(name, func(t *testing.T) {
			server, err := embed.Open(t.Context(), embed.Config{Kind: embed.KindOpenAI, URL: foveatest.StartModel(t, name)})
			if err != nil {
				t.Fatal(err)
			}
			e := func(context.Context) (embed.Embedder, error) { return server, nil }
			l := talkOf(t, 1, 20_000).asLibrary()
			words, o := ask(t, l, nil, true), openMeaning(t, l, e)
			f, alone := askOf(t, o, nil, true), newFigures()
			for _, q := range o.questions {
				alone.ranking(q.kind, o.nearest(t, q.text), q.gold)
			}
			for _, figure := range []string{"R@10", "nDCG"} {
				t.Logf("%s %.4f, by words %.4f, by vectors alone %.4f", figure, f.mean(figure), words.mean(figure), alone.mean(figure))
				if lost := words.mean(figure) - f.mean(figure); lost > .003 {
					t.Errorf("costs %.3f of %s", lost, figure)
				}
				if alone.mean(figure) == 0 {
					t.Errorf("vectors alone have no %s, so the test proves nothing", figure)
				}
			}
			found := 0.0
			facts := openMeaning(t, paraphrases(), e)
			for _, q := range facts.questions {
				found += recallOf(facts.found(t, q.text, 5), q.gold)
			}
			if t.Logf("%.0f facts in other words", found); found < paraphrased {
				t.Errorf("%.0f of 15 facts are found by other words, want %.0f", found, paraphrased)
			}
		})
	}
}

// paraphrases are 20 facts, the first 15 with a question in other words.
func paraphrases() (l library) {
	f := file{path: "facts.org"}
	for _, line := range []string{
		"Production runs on Hetzner CX22|where is the app hosted", "Login uses passkeys only|how do users sign in",
		"Tabs in Go, spaces in Python|indentation rules", "Licence is Apache-2.0|what license",
		"Tests run with make test|how do I run the test suite", "Database is Postgres 17 on port 5433|which SQL server do we use",
		"Backups go to the NAS at 02:00|when are copies made", "Owner prefers short answers|how verbose should I be",
		"Deploys happen on Tuesdays|what day do we ship", "Ada maintains the parser|who looks after parsing",
		"Birthday of Lukas is 4 May|brother's birthday", "Logs are kept 14 days|log retention",
		"The API is versioned by header", "Feature flags live in flags.toml|where are toggles",
		"CI uses two cores", "Secrets are in age files|where are passwords kept",
		"Error budget is 0.1 percent", "The mascot is an otter",
		"Invoices are sent by Petra", "Default branch is trunk|name of the main branch",
	} {
		title, asked, is := strings.Cut(line, "|")
		f.text += "* " + title + "\n"
		f.headlines = append(f.headlines, []passage{{title, title}})
		if is {
			l.questions = append(l.questions, question{asked, "fact", []string{title}})
		}
	}
	l.documents = []file{f}
	return l
}

// nearest returns the passages that are found by vectors alone.
func (o *opened) nearest(t testing.TB, question string) []string {
	t.Helper()
	only := *o
	only.view, only.meaning = byVectors(t, o.meaning, o.view, meaning.Semantic, question), nil
	return only.found(t, question, 10)
}
