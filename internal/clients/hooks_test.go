// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package clients

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const hookLine = "/usr/bin/fovea hook --memex /home/ada/notes"

// TestHooksMerge: hooks go in once, beside what is there, and come out without a trace of
// anything else's change.
func TestHooksMerge(t *testing.T) {
	for _, tc := range []struct{ name, client, text, fault string }{
		{"no file", "claude-code", "", ""}, {"empty object", "claude-code", "{}", ""}, {"cursor's file", "cursor", "{\n  \"version\": 1\n}\n", ""},
		{"other settings", "claude-code", "{\"model\": \"x\",\n\t\"permissions\": {\"allow\": [1, 2.50]}}\n", ""},
		{"other events", "claude-code", `{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "x"}]}]}}`, ""},
		{"hooks of others", "claude-code", `{"hooks": {"Stop": [], "SessionStart": [ {"hooks": [{"type":"command","command":"mine"}]} ]}, "z": null}`, ""},
		{"no JSON", "claude-code", "{ 'a': 1}", "line 1, column 3"}, {"a list", "claude-code", "[]", "not a JSON object"},
		{"hooks are a list", "claude-code", `{"hooks": []}`, "not a JSON object"},
		{"an event is an object", "claude-code", `{"hooks": {"SessionStart": {}}}`, "not a list"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "sub", "settings.json")
			if tc.text != "" {
				must(t, os.MkdirAll(filepath.Dir(file), 0o700))
				must(t, os.WriteFile(file, []byte(tc.text), 0o600))
			}
			h := HooksOf[tc.client]
			_, changed, err := h.Part(hookLine, true).Write(file)
			if tc.fault != "" {
				if err == nil || !strings.Contains(err.Error(), tc.fault) || read(t, file) != tc.text {
					t.Fatalf("%v, %q", err, read(t, file))
				}
				return
			}
			if err != nil || !changed || strings.Count(read(t, file), hookLine) != 3 || !json.Valid([]byte(read(t, file))) {
				t.Fatalf("%v %v\n%s", changed, err, read(t, file))
			}
			once := read(t, file)
			settled := strings.Replace(once, `"SessionStart": [`, `"SessionStart": [{"hooks": [{"type": "command", "command": "first"}]}, `, 1)
			settled = strings.Replace(settled, `"sessionStart": [`, `"sessionStart": [{"command": "first"}, `, 1)
			must(t, os.WriteFile(file, []byte(settled), 0o600))
			if _, changed, err = h.Part(hookLine, true).Write(file); err != nil || changed || settled == once {
				t.Errorf("behind a hook of the person: %v, %v\n%s", changed, err, read(t, file))
			}
			must(t, os.WriteFile(file, []byte(once), 0o600))
			if _, changed, err = h.Part(hookLine, true).Write(file); err != nil || changed {
				t.Errorf("a second time: %v, %v", changed, err)
			}
			if _, changed, err = h.Part(hookLine+" --other", false).Write(file); err != nil || !changed || strings.Count(read(t, file), " hook --memex ") != 2 {
				t.Errorf("another line: %v, %v\n%s", changed, err, read(t, file))
			}
			if _, _, err = h.Part(hookLine, true).Write(file); err != nil || len(read(t, file)) < len(tc.text) || strings.Count(once, hookLine) != 3 {
				t.Errorf("back: %v", err)
			}
			if _, changed, err = h.Part(hookLine, true).Remove(file); err != nil || !changed || strings.Contains(read(t, file), "fovea") {
				t.Fatalf("removed: %v, %v\n%s", changed, err, read(t, file))
			}
			if diff := cmp.Diff(settings(t, tc.text), settings(t, read(t, file))); diff != "" {
				t.Errorf("other settings (-was +is):\n%s", diff)
			}
			if _, changed, err = h.Part(hookLine, true).Remove(file); err != nil || changed {
				t.Errorf("removed a second time: %v, %v", changed, err)
			}
		})
	}
}

// settings decodes a file without what is empty of its hooks.
func settings(t *testing.T, text string) map[string]any {
	t.Helper()
	all := map[string]any{}
	if text != "" {
		must(t, json.Unmarshal([]byte(text), &all))
	}
	hooks, _ := all["hooks"].(map[string]any)
	for event, list := range hooks {
		if l, ok := list.([]any); ok && len(l) == 0 {
			delete(hooks, event)
		}
	}
	if len(hooks) == 0 {
		delete(all, "hooks")
	}
	delete(all, "version")
	return all
}

// TestRemove: what Write adds Remove takes out, and a file without it stays as it is.
func TestRemove(t *testing.T) {
	texts := map[string][]string{
		"claude-code": {"", "{}", `{"mcpServers": {"b": {"command": "x"}}, "c": 1}`, `{"a": [1, 2]}`},
		"cursor":      {`{"mcpServers": {"b": {"command": "x"}, "d": {}}}`},
		"codex":       {"", "model = \"x\" # mine\n", "[mcp_servers.b]\ncommand = \"y\"\n[z]\na = 1\n"},
		"gptel":       {"", "(setq a 1)\n"},
	}
	for _, c := range All {
		for _, text := range texts[c.Name] {
			file := filepath.Join(t.TempDir(), "conf")
			if text != "" {
				must(t, os.WriteFile(file, []byte(text), 0o600))
			}
			_, _, err := c.Server(exampleServer).Write(file)
			must(t, err)
			if _, changed, err := c.Server(Server{}).Remove(file); err != nil || !changed || strings.Contains(read(t, file), "fovea") {
				t.Errorf("%s %q: %v, %v\n%s", c.Name, text, changed, err, read(t, file))
			}
			if c.Name != "codex" && c.Name != "gptel" && !json.Valid([]byte(read(t, file))) {
				t.Errorf("%s %q: left is %s", c.Name, text, read(t, file))
			}
			for _, word := range []string{`"command": "x"`, "# mine", `command = "y"`, "(setq a 1)"} {
				if strings.Contains(text, word) && !strings.Contains(read(t, file), word) {
					t.Errorf("%s: lost %s: %s", c.Name, word, read(t, file))
				}
			}
			if _, changed, err := c.Server(Server{}).Remove(file); err != nil || changed {
				t.Errorf("%s a second time: %v, %v", c.Name, changed, err)
			}
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	must(t, err)
	return string(text)
}
