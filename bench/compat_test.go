// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

//go:build linux

package bench

import (
	"fmt"
	"os"
	"path/filepath"
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
