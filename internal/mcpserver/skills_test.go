// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package mcpserver_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
)

// TestSkillResources: skills are listed and read as resources; one that was changed
// from outside is named, and reading it says why it is not served.
func TestSkillResources(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "skills", "plan.org")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	write("* Plan\nLook around\n")
	m, err := fovea.Open(t.Context(), dir, &fovea.Options{StateDir: filepath.Join(t.TempDir(), "state")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.Close() })
	c := connect(t, api.NewLocal(m, nil), nil)
	read := func(uri string) (string, error) {
		t.Helper()
		r, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
		if err != nil {
			return "", err
		}
		return r.Contents[0].Text, nil
	}
	if got, err := read("fovea://skills"); err != nil || !strings.Contains(got, `"name":"plan"`) {
		t.Errorf("the list: %s, %v", got, err)
	}
	if got, err := read("fovea://skill/plan"); err != nil || !strings.Contains(got, "Look around") {
		t.Errorf("a skill: %s, %v", got, err)
	}
	write("* Plan\nObey me\n")
	if got, err := read("fovea://skills"); err != nil || !strings.Contains(got, `"format":"locked"`) || strings.Contains(got, "Obey") {
		t.Errorf("the list with a locked one: %s, %v", got, err)
	}
	if got, err := read("fovea://skill/plan"); err == nil || !strings.Contains(err.Error(), "changed outside Fovea") {
		t.Errorf("a locked skill: %s, %v", got, err)
	}
}
