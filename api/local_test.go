// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/api/ops"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/internal/foveatest/looking"
)

// serve opens a memory of the given files, and gives a way to change them.
func serve(t *testing.T, files map[string]string) (api.Service, func(name, text string)) {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range files {
		write(name, text)
	}
	clock := foveatest.Ticking(time.Now().Add(time.Hour), time.Minute)
	m, err := fovea.Open(t.Context(), dir, &fovea.Options{StateDir: filepath.Join(t.TempDir(), "state"), Now: clock})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return looking.First(api.NewLocal(m, nil)), write
}

// TestLimits: no list is shorter than empty.
func TestLimits(t *testing.T) {
	svc, _ := serve(t, map[string]string{"a.org": "* A\n"})
	for name, call := range map[string]func() error{
		"query": func() error { _, err := api.OpQuery.Call(t.Context(), svc, api.QueryRequest{Limit: -1}); return err },
		"search": func() error {
			_, err := api.OpSearch.Call(t.Context(), svc, api.SearchRequest{Text: "a", Limit: -1})
			return err
		},
		"log": func() error { _, err := api.OpLog.Call(t.Context(), svc, api.LogRequest{Limit: -1}); return err },
	} {
		if err := call(); fovea.KindOf(err) != fovea.Invalid || err.Error() != name+": limit is 0 or more" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestShowKeepsTheBytes: content that is not UTF-8 is readable, and exact beside.
func TestShowKeepsTheBytes(t *testing.T) {
	const text = "* Odd\n\xff\xfe\x00 سلام\r\n"
	svc, _ := serve(t, map[string]string{"a.org": text, "b.org": "* Plain\nسلام\n"})
	s, err := api.OpShow.Call(t.Context(), svc, api.ShowRequest{ID: "Odd"})
	if err != nil {
		t.Fatal(err)
	}
	exact, err := base64.StdEncoding.DecodeString(s.ContentBase64)
	if err != nil || string(exact) != text || s.Content != "* Odd\n\uFFFD\x00 سلام\r\n" {
		t.Errorf("content %q, exact %q, %v", s.Content, exact, err)
	}
	if s, err = api.OpShow.Call(t.Context(), svc, api.ShowRequest{ID: "Plain"}); err != nil || s.ContentBase64 != "" || s.Content != "* Plain\nسلام\n" {
		t.Errorf("plain text: %+v, %v", s, err)
	}
}

// TestReferencesAreResolvedBeforeTheSync: what a person calls 0 is what the list
// shows as 0, though the operation reads the folder first and that makes
// another snapshot.
func TestReferencesAreResolvedBeforeTheSync(t *testing.T) {
	svc, write := serve(t, map[string]string{"a.org": "* One\n"})
	ingest := func() {
		t.Helper()
		if _, err := api.OpIngest.Call(t.Context(), svc, api.IngestRequest{}); err != nil {
			t.Fatal(err)
		}
	}
	ingest()
	write("a.org", "* Two\n")
	ingest()
	write("a.org", "* Three, not seen yet\n")
	if s, err := api.OpShow.Call(t.Context(), svc, api.ShowRequest{ID: "One", At: "0"}); err != nil || s.Content != "* One\n" {
		t.Errorf("show at 0: %+v, %v", s, err)
	}
	list, err := api.OpSnapshots.Call(t.Context(), svc, api.None{})
	if err != nil || len(list) != 2 {
		t.Fatalf("snapshots %+v, %v", list, err)
	}
	write("a.org", "* Four, not seen yet\n")
	r, err := api.OpRollback.Call(t.Context(), svc, api.RollbackRequest{To: "0"})
	if err != nil || r.Root != list[0].Root.String() {
		t.Fatalf("rolled back to %+v, %v; want the root of %+v", r, err, list[0])
	}
	if _, err := api.OpShow.Call(t.Context(), svc, api.ShowRequest{ID: "Two"}); err != nil {
		t.Errorf("the state that was called 0 is not there: %v", err)
	}
}

// TestQueriesAnswerInDocumentOrder: by type, by property, by keyword of the file;
// exactly, documents by path.
func TestQueriesAnswerInDocumentOrder(t *testing.T) {
	svc, _ := serve(t, map[string]string{
		"b.org": "#+todo: DRAFT | APPROVED\n* APPROVED B1\n:PROPERTIES:\n:STATE: in port\n:END:\n** DRAFT B2\n* APPROVED B3\n",
		"a.org": "* A1\n:PROPERTIES:\n:state: in port\n:END:\n* APPROVED is no keyword here\n:PROPERTIES:\n:STATE: in port of call\n:END:\n",
	})
	for _, tc := range []struct {
		query string
		want  []string
	}{
		{"type:document", []string{"a", "b"}},
		{"type:headline", []string{"A1", "APPROVED is no keyword here", "B1", "B2", "B3"}},
		{`property:STATE="in port"`, []string{"A1", "B1"}},
		{"property:STATE", []string{"A1", "APPROVED is no keyword here", "B1"}},
		{"todo:APPROVED", []string{"B1", "B3"}},
		{"todo:APPROVED level:1 property:STATE", []string{"B1"}},
		{"todo:", []string{"B2"}},
		{"todo:APPR", nil},
	} {
		nodes, err := api.OpQuery.Call(t.Context(), svc, api.QueryRequest{Query: tc.query})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, n := range nodes {
			got = append(got, n.Title)
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.query, diff)
		}
	}
}

// TestSearchLimits: at most so many, best first, none below the least similarity.
func TestSearchLimits(t *testing.T) {
	svc, _ := serve(t, map[string]string{"a.org": "* gauge river\n* gauge\nand many other words that have nothing to do with it at all\n* boat\n"})
	search := func(req api.SearchRequest) []api.Hit {
		t.Helper()
		hits, err := api.OpSearch.Call(t.Context(), svc, req)
		if err != nil {
			t.Fatal(err)
		}
		return hits
	}
	all := search(api.SearchRequest{Text: "gauge river"})
	if len(all) != 2 || all[0].Similarity != 1 || all[1].Similarity >= 1 || all[1].Score >= all[0].Score {
		t.Fatalf("hits %+v", all)
	}
	if hits := search(api.SearchRequest{Text: "gauge river", Limit: 1}); !cmp.Equal(hits, all[:1]) {
		t.Errorf("limit 1 gives %+v", hits)
	}
	if hits := search(api.SearchRequest{Text: "gauge river", MinSimilarity: &all[1].Similarity}); len(hits) != 2 {
		t.Errorf("the least similarity is not included: %+v", hits)
	}
	if hits := search(api.SearchRequest{Text: "gauge river", MinSimilarity: new(1.0)}); len(hits) != 1 {
		t.Errorf("a similarity of 1 leaves %+v", hits)
	}
	for _, bad := range []api.SearchRequest{
		{Text: "x", MinSimilarity: new(1.1)}, {Text: "x", MinSimilarity: new(-1.0)}, {Text: "x", Limit: -1}, {Text: "x", Excerpt: -1},
	} {
		if _, err := api.OpSearch.Call(t.Context(), svc, bad); fovea.KindOf(err) != fovea.Invalid {
			t.Errorf("%+v: %v, want invalid", bad, err)
		}
	}
}

// TestListsCarryTextWhereAskedFor: the own text of each node, or how it begins, comes
// with a query or a search that asks for it, and only then.
func TestListsCarryTextWhereAskedFor(t *testing.T) {
	svc, _ := serve(t, map[string]string{"a.org": "* Plain\n:PROPERTIES:\n:ID: p\n:END:\nwater\tand stone\n** Below\nsand\n"})
	const text = "* Plain\n:PROPERTIES:\n:ID: p\n:END:\nwater\tand stone\n"
	for name, c := range map[string]struct {
		content       bool
		characters    int
		text, excerpt string
	}{
		"neither":       {},
		"the text":      {content: true, text: text},
		"an excerpt":    {characters: 9, excerpt: "water and…"},
		"all of it":     {characters: 15, excerpt: "water and stone"},
		"more than all": {characters: math.MaxInt, excerpt: "water and stone"},
		"both":          {content: true, characters: 1, text: text, excerpt: "w…"},
	} {
		t.Run(name, func(t *testing.T) {
			nodes, err := api.OpQuery.Call(t.Context(), svc, api.QueryRequest{Query: "heading:Plain", Content: c.content, Excerpt: c.characters})
			if err != nil || len(nodes) != 1 || nodes[0].Content != c.text || nodes[0].Excerpt != c.excerpt {
				t.Errorf("query: %+v, %v", nodes, err)
			}
			hits, err := api.OpSearch.Call(t.Context(), svc, api.SearchRequest{Text: "stone", Content: c.content, Excerpt: c.characters})
			if err != nil || len(hits) != 1 || hits[0].Content != c.text || hits[0].Excerpt != c.excerpt {
				t.Errorf("search: %+v, %v", hits, err)
			}
		})
	}
	if _, err := api.OpQuery.Call(t.Context(), svc, api.QueryRequest{Excerpt: -1}); fovea.KindOf(err) != fovea.Invalid {
		t.Errorf("an excerpt of -1: %v", err)
	}
}

// TestSearchShowsTheLine: a hit has the line that the words stand in, where asked for, and
// its place in the file.
func TestSearchShowsTheLine(t *testing.T) {
	svc, _ := serve(t, map[string]string{
		"a.org": "#+title: A\n* Stones\n:PROPERTIES:\n:ID: s\n:END:\nwater\n\n- sand and stone\n** Title of stone\nnothing of it\n",
	})
	hits, err := api.OpSearch.Call(t.Context(), svc, api.SearchRequest{Text: "the sand of stones", Match: 10})
	if err != nil || len(hits) != 2 {
		t.Fatalf("%+v, %v", hits, err)
	}
	if h := hits[0]; h.ID != "s" || h.Match != "- sand an…" || h.MatchLine != 8 || h.Line != 2 {
		t.Errorf("got %q in line %d of %+v", h.Match, h.MatchLine, h.Node)
	}
	if h := hits[1]; h.Match != "" || h.MatchLine != 0 {
		t.Errorf("a title alone: %q in line %d", h.Match, h.MatchLine)
	}
	hits, err = api.OpSearch.Call(t.Context(), svc, api.SearchRequest{Text: "sand"})
	if err != nil || len(hits) != 1 || hits[0].Match != "" {
		t.Errorf("not asked for: %+v, %v", hits, err)
	}
	if _, err := api.OpSearch.Call(t.Context(), svc, api.SearchRequest{Text: "x", Match: -1}); fovea.KindOf(err) != fovea.Invalid {
		t.Errorf("a match of -1: %v", err)
	}
}

// TestSuggest: words that no note has, and the newest notes of who asks.
func TestSuggest(t *testing.T) {
	svc, _ := serve(t, map[string]string{"a.org": "* Kalibrierung\nThe Barometer.\n* Later\ntext\n"})
	agents := ops.Guarded(svc)
	mint := author.WithGrant(t.Context(), api.Grant{Agent: "mint", Role: api.Agent})
	for _, title := range []string{"First", "Second"} {
		if _, err := api.OpRemember.Call(mint, agents, api.RememberRequest{Title: title}); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		ctx  context.Context
		req  api.SuggestRequest
		want string
	}{
		"a word":             {t.Context(), api.SuggestRequest{Text: "the barmeter"}, "barmeter [Barometer]"},
		"known words":        {t.Context(), api.SuggestRequest{Text: "barometers later"}, ""},
		"an agent's notes":   {mint, api.SuggestRequest{Notes: 9}, "Second First"},
		"one of its notes":   {mint, api.SuggestRequest{Notes: 1}, "Second"},
		"the owner's newest": {t.Context(), api.SuggestRequest{Notes: 3}, "Second First Later"},
	} {
		t.Run(name, func(t *testing.T) {
			found, err := api.OpSuggest.Call(c.ctx, svc, c.req)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, w := range found.Words {
				got = append(got, w.Word, fmt.Sprint(w.Known))
			}
			for _, n := range found.Notes {
				got = append(got, n.Title)
			}
			if got := strings.Join(got, " "); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
	if _, err := api.OpSuggest.Call(t.Context(), svc, api.SuggestRequest{Notes: -1}); fovea.KindOf(err) != fovea.Invalid {
		t.Errorf("-1 notes: %v", err)
	}
}
