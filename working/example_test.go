// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package working_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/api/ops"
	"github.com/fovea-memory/fovea/window"
	"github.com/fovea-memory/fovea/working"
)

// showContext adds blocks to the working memory of an agent, and returns its window.
func showContext(ctx context.Context, svc api.Service) (string, error) {
	ada := ops.Hold(svc, api.Grant{Agent: "agent_001", Role: api.Agent})
	_, err := api.OpBlockAdd.Call(ctx, ada, api.BlockAddRequest{Blocks: []working.Block{
		{Type: working.File, Location: "agents/agent_001/ROM.md", Priority: working.Critical},
		{Type: working.Task, TaskID: "TASK-042", Description: "Implement authentication module", Project: "project_alpha", Status: "in_progress"},
		{Type: working.File, Location: "src/login.go", StartLine: 1, EndLine: 2, Confidence: new(0.8)},
	}})
	if err != nil {
		return "", err
	}
	w, err := api.OpContext.Call(ctx, ada, api.ContextRequest{Policy: window.PolicyShares, Format: window.FormatJSON})
	if err != nil {
		return "", err
	}
	return w.Text, nil // for the model
}

// Example is the example of the seed hive-mind-memory-model.md.
func Example() {
	dir, err := os.MkdirTemp("", "memex")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	for name, text := range map[string]string{"agents/agent_001/ROM.md": "You are agent_001.\n", "src/login.go": "package login\n\nfunc In() {}\n"} {
		path := filepath.Join(dir, "memex", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			panic(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			panic(err)
		}
	}
	m, err := fovea.Open(context.Background(), filepath.Join(dir, "memex"), &fovea.Options{StateDir: filepath.Join(dir, "state")})
	if err != nil {
		panic(err)
	}
	defer m.Close()
	if err := m.Ingest(context.Background(), nil); err != nil {
		panic(err)
	}
	text, err := showContext(context.Background(), api.NewLocal(m, nil))
	if err != nil {
		panic(err)
	}
	var array []struct{ ID, Content, Priority string }
	if err := json.Unmarshal([]byte(text), &array); err != nil {
		panic(err)
	}
	for _, e := range array {
		fmt.Printf("%s (%s): %s\n", e.ID, e.Priority, e.Content)
	}
	// Output:
	// agents/agent_001/ROM.md (critical): You are agent_001.
	// task:TASK-042 (high): Implement authentication module
	// src/login.go:1-2 (medium): package login
}

// TestReadme compares the code of README.md with the example that runs.
func TestReadme(t *testing.T) {
	page, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	code := regexp.MustCompile("(?s)```go\n(.*?)```").FindSubmatch(page)
	own, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	indented := "\t" + strings.ReplaceAll(strings.TrimRight(string(code[1]), "\n"), "\n", "\n\t")
	if !strings.Contains(string(own), strings.ReplaceAll(indented, "\n\t\n", "\n\n")) {
		t.Error(cmp.Diff(string(own), indented))
	}
}
