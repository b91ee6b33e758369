// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package mcpserver_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/api/ops"
	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/internal/ipfs"
)

// TestCheckpointMemory is contracts P24 and P25: the aliases put the memory on IPFS where it is
// configured and bring it back, and their answers have the keys of the contracts.
func TestCheckpointMemory(t *testing.T) {
	k := foveatest.StartKubo(t, false)
	dir := t.TempDir()
	err := os.WriteFile(filepath.Join(dir, "a.org"), []byte(notes), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	m, err := fovea.Open(t.Context(), dir, &fovea.Options{StateDir: filepath.Join(t.TempDir(), "state")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.Close() })
	at := ops.IPFS(true, func() (string, error) { return ipfs.ParseAddress(k.Address, false) })
	c := connect(t, api.NewLocal(m, &api.LocalOptions{IPFS: at}), nil)
	ask := func(tool string, args map[string]any) (string, map[string]any) {
		t.Helper()
		r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
		if err != nil || r.IsError {
			t.Fatalf("%s: %+v, %v", tool, r, err)
		}
		text, err := json.Marshal(r.StructuredContent)
		if err != nil {
			t.Fatal(err)
		}
		data := map[string]any{}
		if err := json.Unmarshal(text, &data); err != nil {
			t.Fatal(err)
		}
		return r.Content[0].(*mcp.TextContent).Text, data
	}
	text, data := ask("checkpoint-memory", nil)
	if diff := cmp.Diff([]string{"cid", "errors", "image", "remark", "root", "sealed", "seq"}, slices.Sorted(maps.Keys(data))); diff != "" {
		t.Errorf("keys (-want +got):\n%s", diff)
	}
	cid, _ := data["cid"].(string)
	if cid != m.View().Head().Digest.String() || !strings.Contains(text, cid) {
		t.Errorf("%s: %v", text, data)
	}
	_, data = ask("restore-memory", map[string]any{"source": "IPFS", "cid": cid})
	if diff := cmp.Diff([]string{"remark", "restored_files", "root", "seq", "source"}, slices.Sorted(maps.Keys(data))); diff != "" || data["source"] != "ipfs" {
		t.Errorf("%v (-want +got):\n%s", data, diff)
	}
	k.Kill()
	text, data = ask("checkpoint-memory", nil)
	if data["cid"] != nil || !strings.Contains(text, "FAILED") || len(data["errors"].([]any)) != 1 {
		t.Errorf("%s: %v", text, data)
	}
}
