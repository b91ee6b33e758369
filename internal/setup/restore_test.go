// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package setup

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRemoveRestores: after Write and Remove a file is what it was, byte for byte, however it is
// formatted; also where Write came twice, and through a link.
func TestRemoveRestores(t *testing.T) {
	texts := map[string][]string{
		"json": {"{}", "{ \"x\" : 1 }", "{\n\t\"x\": [1,2 , 3],\r\n\t\"mcpServers\": {}\n}\n", `{"mcpServers":{"a":{"command":"x"}},"hooks":{"Stop":[]}}`,
			`{"hooks":{"Stop":[],"SessionStart":[ ]}}`, "   {\"a\":1}  \n\n", "{\n}", "{\n  \"mcpServers\": {\n  }\n}",
			`{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"y"}]}]}}`},
		"toml": {"# c\nmodel = \"x\"\n\n[a]\nb=1", "# c\r\nmodel = \"x\"\r\n[mcp_servers.foo]\r\ncommand=\"a\"\r\n\r\n", "[mcp_servers.foo]\ncommand=\"a\"\n\n\n\n"},
		"lisp": {"(setq x 1)", "(setq x 1)\n\n", ";; only a comment"},
	}
	kind := map[string]string{"claude-code": "json", "cursor": "json", "codex": "toml", "gptel": "lisp"}
	check := func(name, text string, write func(file string, again bool) error, remove func(file string) error) {
		t.Helper()
		dir := t.TempDir()
		file := filepath.Join(dir, "link")
		must(t, os.WriteFile(filepath.Join(dir, "conf"), []byte(text), 0o600))
		must(t, os.Symlink("conf", file))
		for _, again := range []bool{false, true} {
			must(t, write(file, again))
			if !strings.Contains(read(t, file), "fovea") {
				t.Fatalf("%s %q: nothing was written", name, text)
			}
		}
		must(t, remove(file))
		if got := read(t, file); got != text {
			t.Errorf("%s: %q became %q", name, text, got)
		}
	}
	for _, c := range Clients {
		for _, text := range texts[kind[c.Name]] {
			check(c.Name, text, func(file string, again bool) error {
				s := exampleServer
				if again {
					s.Args = []string{"mcp"}
				}
				_, _, err := c.Write(file, s)
				return err
			}, func(file string) error { _, _, err := c.Remove(file); return err })
		}
	}
	for name, h := range HooksOf {
		for _, text := range texts["json"] {
			for _, keep := range []bool{false, true} {
				check(name+" hooks", text, func(file string, again bool) error {
					_, _, err := h.Write(file, hookLine, keep && again)
					return err
				}, func(file string) error { _, _, err := h.Remove(file); return err })
			}
		}
	}
}

// TestRemoveLeavesNoLists: a file that Write made has no empty lists left after Remove.
func TestRemoveLeavesNoLists(t *testing.T) {
	for name, h := range HooksOf {
		for _, keep := range []bool{false, true} {
			file := filepath.Join(t.TempDir(), "conf")
			_, _, err := h.Write(file, hookLine, keep)
			must(t, err)
			_, _, err = h.Remove(file)
			must(t, err)
			if got := read(t, file); got != h.begin {
				t.Errorf("%s, keep %t: left is %q", name, keep, got)
			}
		}
	}
}

// TestRemoveKeepsChanges: what the client or the person changed since Write is not taken back.
func TestRemoveKeepsChanges(t *testing.T) {
	file := filepath.Join(t.TempDir(), "conf")
	must(t, os.WriteFile(file, []byte(`{"a": 1}`), 0o600))
	c := Clients[0]
	_, _, err := c.Write(file, exampleServer)
	must(t, err)
	must(t, os.WriteFile(file, []byte(strings.Replace(read(t, file), `"a": 1`, `"a": 2`, 1)), 0o600))
	_, _, err = c.Remove(file)
	must(t, err)
	if got := read(t, file); !strings.Contains(got, `"a": 2`) || strings.Contains(got, "fovea") {
		t.Errorf("left is %s", got)
	}
}

// TestReadOnlyStays: a file that its owner made read-only is not replaced.
func TestReadOnlyStays(t *testing.T) {
	file := filepath.Join(t.TempDir(), "conf")
	must(t, os.WriteFile(file, []byte("{}"), 0o444))
	if _, _, err := Clients[0].Write(file, exampleServer); err == nil || !strings.Contains(err.Error(), "read-only") || read(t, file) != "{}" {
		t.Errorf("%v, %s", err, read(t, file))
	}
	entries, err := os.ReadDir(filepath.Dir(file))
	if err != nil || len(entries) != 1 {
		t.Errorf("%v, %v", entries, err)
	}
}
