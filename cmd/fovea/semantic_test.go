// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// anglesServer is a server of embeddings, as OpenAI's: a text that names angle N has a vector
// at N degrees, any other at some angle.
func anglesServer(t *testing.T) string {
	t.Helper()
	angle := regexp.MustCompile(`angle (\d+)`)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			_, _ = io.WriteString(w, `{"object":"list","data":[{"id":"angles","object":"model"}]}`)
			return
		}
		var asked struct{ Input []string }
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		data := []map[string]any{}
		for i, text := range asked.Input {
			degrees := float64(crc32.ChecksumIEEE([]byte(text)) % 3600)
			if found := angle.FindStringSubmatch(text); found != nil {
				_, _ = fmt.Sscan(found[1], &degrees)
			}
			sin, cos := math.Sincos(degrees * math.Pi / 180)
			data = append(data, map[string]any{"object": "embedding", "index": i, "embedding": []float64{cos, sin}})
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"object": "list", "model": "angles", "data": data})
	}))
	t.Cleanup(web.Close)
	return web.URL
}

// TestSemanticSearchOnFourFaces proves that a search by meaning has the same default, 0.5, on the command
// line, over HTTP, and as the MCP tools recall and semantic-search; that recall says that it can be asked;
// and that no face says that there is no embedder where hits are only too far away.
func TestSemanticSearchOnFourFaces(t *testing.T) {
	s := newServed(t)
	var notes strings.Builder // so few that their similarity is the cosine
	for degrees := 0; degrees <= 180; degrees += 14 {
		fmt.Fprintf(&notes, "* Note %d\n:PROPERTIES:\n:ID: n%[1]d\n:END:\nIt is at angle %[1]d.\n", degrees)
	}
	write(t, filepath.Join(s.memex, "a.org"), notes.String())
	folder := filepath.Join(filepath.Dir(s.state), "config", "fovea")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(folder, "config.toml"), "[embed]\nkind = \"openai\"\nurl = \""+anglesServer(t)+"\"\nmodel = \"angles\"\n")
	s.run("serve", "--detach", "--http", "--quiet")
	text, err := os.ReadFile(filepath.Join(s.state, "http.json"))
	if err != nil {
		t.Fatal(err)
	}
	var at struct{ URL, Token string }
	if err := json.Unmarshal(text, &at); err != nil {
		t.Fatal(err)
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	c, err := client.Connect(t.Context(), &mcp.CommandTransport{Command: s.command("mcp")}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	tool := func(name string, args map[string]any) string {
		r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: args})
		if err != nil {
			t.Fatal(err)
		}
		return r.Content[0].(*mcp.TextContent).Text
	}
	titles := func(answer string) []string {
		all := regexp.MustCompile(`Note \d+`).FindAllString(answer, -1)
		slices.Sort(all)
		return slices.Compact(all)
	}
	ask := func(question string, least any) map[string][]string {
		flags, body := []string{}, map[string]any{"text": question, "mode": "semantic", "limit": 100}
		recall, alias := map[string]any{"query": question, "mode": "semantic", "limit": 100}, map[string]any{"query": question, "limit": 100}
		if least != nil {
			flags = []string{"--min-similarity", fmt.Sprint(least)}
			body["min_similarity"], recall["min_similarity"], alias["min-similarity"] = least, least, least
		}
		request, _ := json.Marshal(body)
		_, http := posted(t, at.URL, "search", string(request), "Authorization", "Bearer "+at.Token)
		answers := map[string]string{
			"command line": s.run(append([]string{"search", question, "--mode", "semantic", "--limit", "100", "--json"}, flags...)...),
			"HTTP":         http, "recall": tool("recall", recall), "semantic-search": tool("semantic-search", alias),
		}
		found := map[string][]string{}
		for face, answer := range answers {
			if found[face] = titles(answer); strings.Contains(answer, "embedder") {
				t.Errorf("%s: %s", face, answer)
			}
		}
		return found
	}
	all, near, none := ask("angle 0", 0), ask("angle 0", nil), ask("angle 270", nil)
	for face := range all {
		for name, answers := range map[string]map[string][]string{"all": all, "by default": near, "far away": none} {
			if diff := cmp.Diff(answers["HTTP"], answers[face]); diff != "" {
				t.Errorf("%s, %s (-HTTP +got):\n%s", name, face, diff)
			}
		}
	}
	if !cmp.Equal(near, ask("angle 0", 0.5)) || len(near["HTTP"]) != 5 || len(all["HTTP"]) != 7 || len(none["HTTP"]) > 0 {
		t.Errorf("from 0 on %d, by default %d, of what is far away %d", len(all["HTTP"]), len(near["HTTP"]), len(none["HTTP"]))
	}
	tools, err := c.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(tools.Tools, func(t *mcp.Tool) bool { return t.Name == "recall" })
	if listed, _ := json.Marshal(tools.Tools[i]); strings.Count(string(listed), "semantic") < 2 {
		t.Errorf("recall does not say that it finds by meaning: %s", listed)
	}
}
