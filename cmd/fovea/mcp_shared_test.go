// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// connected starts a command that serves MCP and connects to it.
func connected(t *testing.T, command *exec.Cmd, opts *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, opts)
	c, err := client.Connect(t.Context(), &mcp.CommandTransport{Command: command}, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// TestCompatThroughKills: two clients in processes of their own write one graph, the
// daemon is killed while they do, and in the end one of their servers too. What was
// acknowledged is there, once, in the memory and in the file of server-memory.
func TestCompatThroughKills(t *testing.T) {
	s := newServed(t)
	daemon := s.serve()
	file := filepath.Join(filepath.Dir(s.memex), "memory.jsonl")
	const each = 30
	var mu sync.Mutex
	acknowledged := map[string]int{}
	halfway := make(chan struct{}, 2)
	var writers sync.WaitGroup
	var last *exec.Cmd
	for w := range 2 {
		last = s.command("mcp", "--compat", "server-memory")
		last.Env = append(last.Env, "MEMORY_FILE_PATH="+file)
		c := connected(t, last, nil)
		writers.Go(func() {
			for i := range each {
				name := fmt.Sprintf("n-%d-%d", w, i)
				r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "create_entities", Arguments: map[string]any{
					"entities": []map[string]any{{"name": name, "entityType": "t", "observations": []string{"of " + name}}},
				}})
				if err == nil && !r.IsError {
					mu.Lock()
					acknowledged[name] = 1
					mu.Unlock()
				}
				if i == each/3 {
					halfway <- struct{}{}
				}
			}
		})
	}
	<-halfway
	_ = daemon.Process.Kill()
	_ = daemon.Wait() // killed
	writers.Wait()
	_ = last.Process.Kill()
	if len(acknowledged) < 2*each-2 {
		t.Errorf("only %d were acknowledged", len(acknowledged))
	}
	var list []struct{ Title string }
	if err := json.Unmarshal([]byte(s.run("query", "property:ENTITY", "--json")), &list); err != nil {
		t.Fatal(err)
	}
	inMemory := map[string]int{}
	for _, n := range list {
		inMemory[n.Title]++
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	inFile := map[string]int{}
	for line := range bytes.Lines(text) {
		var e struct{ Name string }
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		inFile[e.Name]++
	}
	for where, got := range map[string]map[string]int{"memory": inMemory, "file": inFile} {
		for name := range got {
			if acknowledged[name] == 0 && got[name] == 1 {
				delete(got, name) // stored, but the answer did not get through
			}
		}
		if d := cmp.Diff(acknowledged, got); d != "" {
			t.Errorf("%s (-acknowledged +there):\n%s", where, d)
		}
	}
	s.run("verify", "--files")
}

// TestMCPTellsOfAnothersChange: a client that subscribed to a note is told when somebody
// else saves it.
func TestMCPTellsOfAnothersChange(t *testing.T) {
	s := newServed(t)
	s.serve()
	s.run("remember", "Gauge", "--property", "ID=gauge")
	told := make(chan string, 10)
	c := connected(t, s.command("mcp"), &mcp.ClientOptions{ResourceUpdatedHandler: func(_ context.Context, req *mcp.ResourceUpdatedNotificationRequest) {
		told <- req.Params.URI
	}})
	if err := c.Subscribe(t.Context(), &mcp.SubscribeParams{URI: "fovea://node/gauge"}); err != nil {
		t.Fatal(err)
	}
	s.run("edit", "gauge", "--todo", "TODO")
	if got := <-told; got != "fovea://node/gauge" {
		t.Errorf("told of %s", got)
	}
}
