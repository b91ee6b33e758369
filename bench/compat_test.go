// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

//go:build linux

package bench

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fovea-memory/fovea/internal/foveatest"
)

// BenchmarkCompat prints what the tools of server-memory take in Fovea and in the original, at
// two sizes of the graph. The two are asked by turns.
func BenchmarkCompat(b *testing.B) {
	modules, err := peerModules(b)
	if err != nil {
		b.Skipf("../.ci/npm peers: %v", err)
	}
	for b.Loop() {
		for _, full := range []int{1000, 10_000} {
			compat(b, modules, foveatest.Size(full, full/100))
		}
	}
}

// compat measures a graph of n entities, each side with a file of its own.
func compat(t testing.TB, modules string, n int) {
	m := generate(t, 10)
	d := m.serve()
	defer d.stop()
	sides := []*spoken{
		speak(t, append(m.daemonEnv(), "MEMORY_FILE_PATH="+graphFile(t, n)), m.program, "mcp", "--memex", m.dir, "--compat", "server-memory"),
		original(t, modules, graphFile(t, n)),
	}
	for _, ask := range []struct {
		tool string
		args func(i int) any
	}{
		{"create_entities", func(i int) any {
			return map[string]any{"entities": []any{map[string]any{"name": fmt.Sprint("x-", i), "entityType": "note", "observations": []string{"says"}}}}
		}},
		{"open_nodes", func(i int) any { return map[string]any{"names": []string{fmt.Sprint("n-", n-1-i%n)}} }},
		{"search_nodes", func(i int) any { return map[string]any{"query": fmt.Sprintf("says %d", n-1-i%n)} }},
	} {
		took := make([][]time.Duration, len(sides))
		for i := range calls() {
			for k, side := range sides {
				begun := time.Now()
				side.ask("tools/call", map[string]any{"name": ask.tool, "arguments": ask.args(i)})
				took[k] = append(took[k], time.Since(begun))
			}
		}
		for k := range took {
			slices.Sort(took[k])
		}
		middle, end := calls()/2, calls()*95/100
		t.Logf("%d entities, %s: p50 %.2f ms (p95 %.2f), server-memory %.2f (%.2f), %.1f times",
			n, ask.tool, ms(took[0][middle]), ms(took[0][end]), ms(took[1][middle]), ms(took[1][end]), ms(took[1][middle])/ms(took[0][middle]))
	}
}

// TestCompatAnswers: the nine tools answer a random conversation as the original does, and leave a
// file that says the same.
func TestCompatAnswers(t *testing.T) {
	modules, err := peerModules(t)
	if err != nil {
		t.Skipf("../.ci/npm peers: %v", err)
	}
	m := generate(t, 1)
	files := []string{graphFile(t, 3), graphFile(t, 3)}
	sides := []*spoken{
		speak(t, append(m.env(), "MEMORY_FILE_PATH="+files[0]), m.program, "mcp", "--no-daemon", "--memex", m.dir, "--compat", "server-memory"),
		original(t, modules, files[1]),
	}
	draw := rand.New(rand.NewPCG(1, 2))
	for range foveatest.Size(600, 60) {
		tool, args := drawCall(draw)
		type result struct {
			IsError           bool
			Content           []struct{ Text string }
			StructuredContent any
		}
		var got [2]struct{ Result result }
		for k, side := range sides {
			must(t, json.Unmarshal([]byte(side.answer("tools/call", map[string]any{"name": tool, "arguments": args})), &got[k]))
		}
		if !reflect.DeepEqual(got[0], got[1]) {
			t.Fatalf("%s %v:\n%+v\nserver-memory\n%+v", tool, args, got[0], got[1])
		}
	}
	var lines [2][]string
	for k, file := range files {
		text, err := os.ReadFile(file)
		must(t, err)
		lines[k] = slices.Sorted(strings.SplitSeq(strings.TrimSpace(string(text)), "\n"))
	}
	if !slices.Equal(lines[0], lines[1]) {
		t.Errorf("the file:\n%q\nthat of server-memory\n%q", lines[0], lines[1])
	}
}

// drawCall draws a call of one of the nine tools. No name stands twice in one, which the original
// takes for two entities.
func drawCall(draw *rand.Rand) (tool string, args map[string]any) {
	some := func(of ...string) []string {
		draw.Shuffle(len(of), func(i, k int) { of[i], of[k] = of[k], of[i] })
		return of[:draw.IntN(4)]
	}
	names := func() []string {
		return some("n-0", "n-1", "C d", "é", "* star", `q"x`, "[[x]]", "TODO y", ":t:", "a\nb", "none")
	}
	said := func() []string {
		return some("cat-00 says 0", "#+begin", "- x", "two  b", " pad ", "Ünï", "[ ] c", "<&>")
	}
	list := func(with func(name string) map[string]any) []map[string]any {
		all := []map[string]any{}
		for _, name := range names() {
			all = append(all, with(name))
		}
		return all
	}
	relation := func(from string) map[string]any {
		return map[string]any{"from": from, "to": append(names(), "n-2")[0], "relationType": "* r"}
	}
	switch draw.IntN(10) {
	case 0, 1:
		return "create_entities", map[string]any{"entities": list(func(name string) map[string]any {
			return map[string]any{"name": name, "entityType": "t", "observations": said()}
		})}
	case 2:
		return "create_relations", map[string]any{"relations": list(relation)}
	case 3:
		return "add_observations", map[string]any{"observations": list(func(name string) map[string]any {
			return map[string]any{"entityName": name, "contents": said()}
		})}
	case 4:
		return "delete_entities", map[string]any{"entityNames": names()}
	case 5:
		return "delete_observations", map[string]any{"deletions": list(func(name string) map[string]any {
			return map[string]any{"entityName": name, "observations": said()}
		})}
	case 6:
		return "delete_relations", map[string]any{"relations": list(relation)}
	case 7:
		return "search_nodes", map[string]any{"query": append(said(), "")[0]}
	case 8:
		return "open_nodes", map[string]any{"names": names()}
	}
	return "read_graph", map[string]any{}
}

// graphFile returns a new file of server-memory with n entities.
func graphFile(t testing.TB, n int) string {
	file := filepath.Join(t.TempDir(), "memory.jsonl")
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"type":"entity","name":"n-%d","entityType":"note","observations":["cat-%02d says %d"]}`+"\n", i, i%50, i)
	}
	if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// original starts @modelcontextprotocol/server-memory over a file.
func original(t testing.TB, modules, file string) *spoken {
	return speak(t, append(os.Environ(), "MEMORY_FILE_PATH="+file), filepath.Join(modules, ".bin", "node"),
		filepath.Join(modules, "@modelcontextprotocol", "server-memory", "dist", "index.js"))
}
