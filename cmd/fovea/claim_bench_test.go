// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// BenchmarkClaimServed claims tasks of one memex through MCP servers in processes of their own,
// over one daemon, durably. An operation is a claim and its release, of each process; p50-ms and
// p95-ms are of the claims alone.
func BenchmarkClaimServed(b *testing.B) {
	for _, processes := range []int{1, 16} {
		b.Run(fmt.Sprint(processes, " processes"), func(b *testing.B) { claimServed(b, processes) })
	}
}

func claimServed(b *testing.B, processes int) {
	dir := b.TempDir()
	memex, state := filepath.Join(dir, "memex"), filepath.Join(dir, "state")
	var tasks strings.Builder
	for i := range processes {
		fmt.Fprintf(&tasks, "* TODO Task %d\n:PROPERTIES:\n:ID: t%d\n:END:\n", i, i)
	}
	for _, folder := range []string{memex, filepath.Join(dir, "run")} {
		if err := os.Mkdir(folder, 0o700); err != nil {
			b.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(memex, "tasks.org"), []byte(tasks.String()), 0o600); err != nil {
		b.Fatal(err)
	}
	sessions := make([]*mcp.ClientSession, processes)
	for i := range sessions {
		command := process(b, state, "mcp", "--agent", fmt.Sprintf("maker%02d", i), "--memex", memex)
		command.Env = append(command.Env, "XDG_RUNTIME_DIR="+filepath.Join(dir, "run"))
		c := mcp.NewClient(&mcp.Implementation{Name: "bench", Version: "1"}, nil)
		session, err := c.Connect(b.Context(), &mcp.CommandTransport{Command: command}, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
		if err != nil {
			b.Fatal(err)
		}
		sessions[i] = session
	}
	defer func() {
		for _, s := range sessions {
			_ = s.Close()
		}
		stop := process(b, state, "serve", "--stop", "--memex", memex)
		stop.Env = append(stop.Env, "XDG_RUNTIME_DIR="+filepath.Join(dir, "run"))
		_ = stop.Run()
	}()
	took := make([][]time.Duration, processes)
	b.ResetTimer()
	var all sync.WaitGroup
	for i, s := range sessions {
		all.Go(func() {
			for range b.N {
				from := time.Now()
				number := uint64(0)
				if text := edited(b, s, map[string]any{"id": fmt.Sprint("t", i), "task": "claim"}); text != "" {
					_, after, _ := strings.Cut(text, `"number":`)
					_, _ = fmt.Sscan(after, &number)
				}
				took[i] = append(took[i], time.Since(from))
				edited(b, s, map[string]any{"id": fmt.Sprint("t", i), "task": "release", "claim": number})
			}
		})
	}
	all.Wait()
	b.StopTimer()
	times := slices.Sorted(slices.Values(slices.Concat(took...)))
	b.ReportMetric(float64(times[len(times)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(times[len(times)*95/100].Microseconds())/1000, "p95-ms")
}

// edited calls the tool edit.
func edited(b *testing.B, s *mcp.ClientSession, args map[string]any) string {
	a, err := s.CallTool(b.Context(), &mcp.CallToolParams{Name: "edit", Arguments: args})
	if err != nil || a.IsError {
		b.Errorf("%v: %+v, %v", args, a, err)
		return ""
	}
	return a.Content[0].(*mcp.TextContent).Text
}
