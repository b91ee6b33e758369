// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/working"
)

// inChunks searches the files of the agent's blocks.
func (d *agentDesk) inChunks(text string, limit int) []api.Hit {
	d.t.Helper()
	hits, err := api.OpSearch.Call(d.ctx, d.svc, api.SearchRequest{Text: text, Limit: limit, Blocks: true, Content: true, Match: 80, Explain: true})
	if err != nil {
		d.t.Fatal(err)
	}
	return hits
}

// TestSemanticChunking proves H46: a large file of a block is found and loaded by chunk. The chunks
// are whole lines, end before definitions and headings, and join to the file byte for byte.
func TestSemanticChunking(t *testing.T) {
	var org strings.Builder
	for i := range 200 {
		fmt.Fprintf(&org, "* Valve %d\nIt opens at %d bar, and closes when the gauge falls below that.\n\n", i, i)
	}
	files := map[string]string{
		"src/pump.go": longCode(), "diary.txt": longText("harbour"), "valves.org": org.String(),
		"one.js": "short();\n" + strings.Repeat("f(zanzibar);", 4000) + "\nlast()", "empty.txt": "",
	}
	w := newWorld(t, files)
	w.ingest()
	ada, bob := w.desk("ada", "s"), w.desk("bob", "s")
	if hits := ada.inChunks("Step217", 0); len(hits) > 0 {
		t.Errorf("without a block: %v", hits)
	}
	for path := range files {
		ada.add(working.Block{Type: working.File, Location: path})
	}
	ada.add(working.Block{Type: working.File, Location: "src/pump.go", StartLine: 3, EndLine: 9})
	joined := map[string]string{}
	all := ada.inChunks("func day valve short zanzibar last", 10_000)
	slices.SortFunc(all, func(a, b api.Hit) int { return a.Line - b.Line })
	for _, h := range all {
		joined[h.Path] += h.Content
		if b := (working.Block{Type: working.File}).About(h.ID); b.StartLine != h.Line || b.Location != h.Path || b.EndLine < b.StartLine {
			t.Errorf("a chunk is named %s, in %s:%d", h.ID, h.Path, h.Line)
		}
		if n := len(h.Content); n > 4096 && strings.Count(h.Content, "\n") > 2 || h.Content == "" {
			t.Errorf("chunk %s has %d bytes", h.ID, n)
		}
		begins := map[string]string{"valves.org": "* Valve ", "src/pump.go": "// Step", "diary.txt": "On day "}[h.Path]
		if h.Line > 1 && !strings.HasPrefix(h.Content, begins) {
			t.Errorf("chunk %s begins %.40q", h.ID, h.Content)
		}
	}
	for path, text := range files {
		if joined[path] != text {
			t.Errorf("the chunks of %s join to %d bytes, want %d", path, len(joined[path]), len(text))
		}
	}
	for question, want := range map[string]struct{ path, title, match string }{
		"what does Step217 do?":               {"src/pump.go", "Step216, Step217, Step218", "// Step217 says at length what it does."},
		"day 417":                             {"diary.txt", "diary", "On day 417 "},
		"zanzibar":                            {"one.js", "one", "f(zanzibar);"},
		"the valve that opens at exactly 133": {"valves.org", "valves", "* Valve 133"},
	} {
		hits := ada.inChunks(question, 3)
		if len(hits) == 0 {
			t.Errorf("%q finds nothing", question)
			continue
		}
		h := hits[0]
		line := strings.Split(files[h.Path], "\n")[h.MatchLine-1]
		if h.Path != want.path || !strings.HasPrefix(h.Title, want.title) || !strings.HasPrefix(h.Match, want.match) ||
			!strings.HasPrefix(line, want.match) {
			t.Errorf("%q finds %s, %q, with line %d, %q", question, h.ID, h.Title, h.MatchLine, h.Match)
		}
		if h.Similarity <= 0 || h.Similarity > 1 || h.Score <= 0 || h.Handle != h.ID || len(h.Scores) == 0 {
			t.Errorf("%q: %+v", question, h)
		}
		s, err := api.OpShow.Call(ada.ctx, ada.svc, api.ShowRequest{ID: h.ID})
		if err != nil {
			t.Fatal(err)
		}
		if s.ID != h.ID || s.Handle != h.ID || s.Content != h.Content || s.Digest != h.Digest || s.Type != "chunk" {
			t.Errorf("show %s: %+v", h.ID, s)
		}
		if s.Path != h.Path || s.Line != h.Line || s.Modified.Year() < 2000 {
			t.Errorf("show %s is of %s:%d, written %v", h.ID, s.Path, s.Line, s.Modified)
		}
		if s, err := api.OpShow.Call(bob.ctx, bob.svc, api.ShowRequest{ID: h.ID}); fovea.KindOf(err) != fovea.NotFound {
			t.Errorf("bob, who has no block of it, is shown %+v, %v", s, err)
		}
	}
	hit := ada.inChunks("Step217", 1)[0]
	for _, id := range ada.ids() {
		if _, err := api.OpBlockRemove.Call(ada.ctx, ada.svc, api.BlockRemoveRequest{IDs: []string{id}}); err != nil {
			t.Fatal(err)
		}
	}
	ada.add(working.Block{Type: working.File}.About(hit.ID))
	if got := ada.ids(); !slices.Equal(got, []string{hit.ID}) {
		t.Errorf("the block of a hit is %v, want %s", got, hit.ID)
	}
	if text := strings.ReplaceAll(ada.context(api.ContextRequest{}).Text, "\n ", "\n"); !strings.Contains(text, strings.TrimSpace(hit.Content)) {
		t.Errorf("the window has not the chunk, but\n%s", text)
	}
}

// TestChunksThatAreNone: what cannot be read is said of its own file, and what a search of chunks or a
// name cannot mean is refused in one line.
func TestChunksThatAreNone(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "a whale\nand a cow\n", "gone.txt": "a whale\n", "b.org": "* A note\n"})
	w.ingest()
	ada := w.desk("ada", "")
	ada.add(working.Block{Type: working.File, Location: "a.txt"}, working.Block{Type: working.File, Location: "gone.txt"})
	w.remove("gone.txt")
	var warned []string
	svc := api.WithWarn(ada.svc, func(err error) { warned = append(warned, err.Error()) })
	hits, err := api.OpSearch.Call(ada.ctx, svc, api.SearchRequest{Text: "whale", Blocks: true})
	if err != nil || len(hits) != 1 || hits[0].ID != "a.txt:1-2" || len(warned) != 1 || !strings.Contains(warned[0], "gone.txt") {
		t.Errorf("found %v, %v; warned of %q", hits, err, warned)
	}
	half := .5
	hits, err = api.OpSearch.Call(ada.ctx, svc, api.SearchRequest{Text: "whale zebra quagga gnu", MinSimilarity: &half, Blocks: true})
	if err != nil || len(hits) > 0 {
		t.Errorf("a quarter of the words is half of them: %v, %v", hits, err)
	}
	for _, req := range []api.SearchRequest{{Mode: "semantic"}, {At: "seq:1"}} {
		req.Text, req.Blocks = "whale", true
		hits, err := api.OpSearch.Call(ada.ctx, svc, req)
		if fovea.KindOf(err) != fovea.Invalid || !strings.Contains(err.Error(), "leave out at and mode") {
			t.Errorf("%+v: %v, %v", req, hits, err)
		}
	}
	s, err := api.OpShow.Call(ada.ctx, svc, api.ShowRequest{ID: "a.txt:7-9"})
	if fovea.KindOf(err) != fovea.Invalid || !strings.Contains(err.Error(), "the file has 2 lines") {
		t.Errorf("lines that the file has not: %+v, %v", s, err)
	}
	owner := api.NewLocal(w.m, nil)
	hits, err = api.OpSearch.Call(t.Context(), owner, api.SearchRequest{Text: "whale", Blocks: true})
	if fovea.KindOf(err) != fovea.Invalid || !strings.Contains(err.Error(), "--agent") {
		t.Errorf("the owner, who has no working memory: %v, %v", hits, err)
	}
}
