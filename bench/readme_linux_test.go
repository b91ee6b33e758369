// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package bench

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/internal/view"
	"github.com/fovea-memory/fovea/token"
	"github.com/fovea-memory/fovea/window"
)

// readmeFile holds the figures of the README: a line for each, with tabs between the test
// that measures it, its name and its value.
const readmeFile = "testdata/readme.txt"

// readmeFigure prints a figure of the README, and compares it with the recorded one. With
// -update it records it.
func readmeFigure(t *testing.T, name, value string) {
	t.Helper()
	t.Logf("%s: %s", name, value)
	text, err := os.ReadFile(readmeFile)
	must(t, err)
	recorded := map[string]string{}
	for line := range strings.Lines(string(text)) {
		key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		recorded[key] = value
	}
	key := t.Name() + "\t" + name
	if !foveatest.Updating() {
		if recorded[key] != value {
			t.Errorf("%s records %q of %q, measured %q; -update records it, and the README needs it too", readmeFile, recorded[key], key, value)
		}
		return
	}
	recorded[key] = value
	var b strings.Builder
	for _, key := range slices.Sorted(maps.Keys(recorded)) {
		fmt.Fprintf(&b, "%s: %s\n", key, recorded[key])
	}
	must(t, os.WriteFile(readmeFile, []byte(b.String()), 0o644))
}

// TestReadmeLost: of what two processes are told is stored while both write to one memory,
// Fovea loses nothing. What server-memory loses differs from run to run, so it is recorded
// and not compared.
func TestReadmeLost(t *testing.T) {
	each := foveatest.Size(200, 20)
	m := generate(t, 1)
	d := m.serve()
	defer d.stop()
	graph := graphFile(t, 0)
	lost := lostWrites(t, each, func() *spoken {
		return speak(t, append(m.daemonEnv(), "MEMORY_FILE_PATH="+graph), m.program, "mcp", "--memex", m.dir, "--compat", "server-memory")
	})
	if lost > 0 {
		t.Errorf("Fovea lost %d of %d acknowledged writes", lost, 2*each)
	}
	if !testing.Short() {
		readmeFigure(t, "acknowledged writes that Fovea lost", fmt.Sprintf("%d of %d", lost, 2*each))
	}
	modules, err := peerModules(t)
	if err != nil {
		t.Logf("acknowledged writes that server-memory lost: not measured, ../.ci/npm peers: %v", err)
		return
	}
	graph = graphFile(t, 0)
	lost = lostWrites(t, each, func() *spoken { return original(t, modules, graph) })
	t.Logf("acknowledged writes that server-memory lost: %d of %d", lost, 2*each)
	if lost == 0 && !testing.Short() {
		t.Error("server-memory lost nothing; correct the README")
	}
	if foveatest.Updating() {
		readmeFigure(t, "acknowledged writes that server-memory lost", fmt.Sprint(lost))
	}
}

// lostWrites has two servers write to one graph at once, and returns how many of the writes that
// they acknowledged a third one does not find.
func lostWrites(t *testing.T, each int, serve func() *spoken) int {
	t.Helper()
	writers := []*spoken{serve(), serve()}
	acknowledged := make([][]string, len(writers))
	var wg sync.WaitGroup
	for w, s := range writers {
		wg.Go(func() {
			for i := range each {
				name := fmt.Sprintf("w-%d-%d", w, i)
				answer := s.answer("tools/call", map[string]any{"name": "create_entities", "arguments": map[string]any{
					"entities": []any{map[string]any{"name": name, "entityType": "note", "observations": []string{"says"}}},
				}})
				if !strings.Contains(answer, `"isError":true`) && !strings.Contains(answer, `"error":`) {
					acknowledged[w] = append(acknowledged[w], name)
				}
			}
		})
	}
	wg.Wait()
	var graph struct {
		Result struct {
			Content []struct{ Text string }
		}
	}
	must(t, json.Unmarshal([]byte(serve().answer("tools/call", map[string]any{"name": "read_graph", "arguments": map[string]any{}})), &graph))
	var stored struct{ Entities []struct{ Name string } }
	must(t, json.Unmarshal([]byte(graph.Result.Content[0].Text), &stored))
	there := map[string]bool{}
	for _, e := range stored.Entities {
		there[e.Name] = true
	}
	names := slices.Concat(acknowledged...)
	if len(names) != len(writers)*each {
		t.Errorf("%d of %d writes were acknowledged", len(names), len(writers)*each)
	}
	return len(slices.DeleteFunc(names, func(name string) bool { return there[name] }))
}

// exampleQuestions are asked of the example memex. The answer has these words.
var exampleQuestions = [][2]string{
	{"When does the boiler need service?", "2027-04-12"},
	{"Why did we move the gauge firmware off LoRa?", "duty cycle"},
	{"What did the vet say about Pika?", "kidney"},
	{"How long does a gauge's battery last without sun?", "8.7"},
	{"What must Tine not eat, and where are his pens?", "walnuts"},
	{"When was the boat launched?", "2026-09-12"},
	{"How many rivets were replaced on Vidra?", "412"},
	{"Why did the colony Iva die?", "mites"},
	{"How much honey did we harvest in 2026?", "34.5"},
	{"Which modem did we choose?", "Modem A"},
	{"Who pays for the SIM cards?", "Keepers who can"},
	{"Until when must the grant be spent?", "15 December 2026"},
	{"Which colour are the walls of the living room?", "NCS S 0502-Y"},
	{"Who has our spare keys?", "One with Mr Rus"},
	{"Which fuse is the home server on?", "Number 7"},
	{"When is the oxalic acid treatment?", "2026-12-12"},
	{"Why does the gauge have no heater?", "kills the battery"},
	{"What did the insurance pay for the water damage?", "1,112"},
	{"Which licence does the rain data have?", "CC0"},
	{"How long were the robinia ribs steamed?", "Thirty minutes"},
}

// TestReadmeBudget: no window is over its budget, by a count of its text; and what a window
// saves in the example memex, beside handing over everything.
func TestReadmeBudget(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "memex")
	must(t, os.CopyFS(dir, os.DirFS("../examples/memex")))
	m := ingestWith(t, dir, nil)
	o := &opened{view: view.Of(m.View())}
	exact, err := token.Exact()
	must(t, err)
	whole, words := 0, []string(nil)
	must(t, fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".org" {
			return err
		}
		text, err := os.ReadFile(filepath.Join(dir, path))
		whole += exact.Count(string(text))
		words = append(words, strings.Fields(string(text))...)
		return err
	}))
	const budget = 500
	answered := 0
	for _, q := range exampleQuestions {
		if strings.Contains(o.window(t, window.Request{Question: q[0], Budget: budget}).Text, q[1]) {
			answered++
		} else {
			t.Logf("not in %d tokens: %s", budget, q[0])
		}
	}
	over, asked := 0, foveatest.Size(2000, 50)
	rng := rand.New(rand.NewPCG(1, 2))
	policies := []string{window.PolicyValue, window.PolicyShares, window.PolicyFoveal}
	formats := []string{window.FormatOrg, window.FormatMarkdown, window.FormatJSON}
	for range asked {
		req := window.Request{Budget: 20 + rng.IntN(4000), Policy: policies[rng.IntN(3)], Format: formats[rng.IntN(3)]}
		for range 1 + rng.IntN(6) {
			req.Question += words[rng.IntN(len(words))] + " "
		}
		if exact.Count(o.window(t, req).Text) > req.Budget {
			over++
		}
	}
	if over > 0 {
		t.Errorf("%d of %d windows are over their budget", over, asked)
	}
	if !testing.Short() {
		readmeFigure(t, "windows over their budget", fmt.Sprintf("%d of %d", over, asked))
		readmeFigure(t, "tokens of a window", fmt.Sprint(budget))
		readmeFigure(t, "questions that it answers", fmt.Sprintf("%d of %d", answered, len(exampleQuestions)))
		readmeFigure(t, "tokens of the whole example", fmt.Sprint(whole))
	}
}

// TestReadmeWords: what share of the evidence the first ten hits have, and the better of two
// plain BM25 over the same turns with their speakers, on the development half of LoCoMo.
func TestReadmeWords(t *testing.T) {
	forms := locomoForms(t)
	found := askAll(t, forms.turns, nil, true)
	plain := 0.0
	for _, k := range [][2]float64{{.9, .4}, {1.2, .75}} {
		plain = max(plain, both(forms.sessions, func(l library) *figures { return rankedPlain(l, k[0], k[1]) }).mean("R@10"))
	}
	if !testing.Short() {
		readmeFigure(t, "questions", fmt.Sprint(found.counts["R@10"]))
		readmeFigure(t, "recall of Fovea", strings.TrimPrefix(fmt.Sprintf("%.3f", found.mean("R@10")), "0"))
		readmeFigure(t, "recall of plain BM25", strings.TrimPrefix(fmt.Sprintf("%.3f", plain), "0"))
	}
}
