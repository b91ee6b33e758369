// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package clients

import (
	"encoding/json"
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
			`{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"y"}]}]}}`,
			"// top\n{\n  \"a\": 1, // of a\n\n  // servers\n  \"mcpServers\": {\n    // first\n\n    // of b\n    \"b\": {},\n  },\n}\n",
			"{\"hooks\": {\"Stop\": [ // mine\n    {\"hooks\": [],}, /* last */ ], /* e */ } , }"},
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
	for _, c := range All {
		for _, text := range texts[kind[c.Name]] {
			check(c.Name, text, func(file string, again bool) error {
				s := exampleServer
				if again {
					s.Args = []string{"mcp"}
				}
				_, _, err := c.Server(s).Write(file)
				return err
			}, func(file string) error { _, _, err := c.Server(Server{}).Remove(file); return err })
		}
	}
	for name, h := range HooksOf {
		for _, text := range texts["json"] {
			for _, keep := range []bool{false, true} {
				check(name+" hooks", text, func(file string, again bool) error {
					_, _, err := h.Part(hookLine, keep && again).Write(file)
					return err
				}, func(file string) error { _, _, err := h.Part(hookLine, true).Remove(file); return err })
			}
		}
	}
}

// TestRemoveLeavesNoLists: a file that Write made has no empty lists left after Remove.
func TestRemoveLeavesNoLists(t *testing.T) {
	for name, h := range HooksOf {
		for _, keep := range []bool{false, true} {
			file := filepath.Join(t.TempDir(), "conf")
			_, _, err := h.Part(hookLine, keep).Write(file)
			must(t, err)
			_, _, err = h.Part(hookLine, true).Remove(file)
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
	c := All[0]
	_, _, err := c.Server(exampleServer).Write(file)
	must(t, err)
	must(t, os.WriteFile(file, []byte(strings.Replace(read(t, file), `"a": 1`, `"a": 2`, 1)), 0o600))
	_, _, err = c.Server(Server{}).Remove(file)
	must(t, err)
	if got := read(t, file); !strings.Contains(got, `"a": 2`) || strings.Contains(got, "fovea") {
		t.Errorf("left is %s", got)
	}
}

// TestCutJSON: what is left where no copy shows what the file was: all but the entry, its comma,
// and the comments that are its own. What was JSON stays so.
func TestCutJSON(t *testing.T) {
	for text, want := range map[string]string{
		`{"mcpServers": {"fovea": {}}}`:                                  `{"mcpServers": {}}`,
		`{"mcpServers": {"a": 1 , "fovea": {}}}`:                         `{"mcpServers": {"a": 1  }}`,
		`{"mcpServers": {"fovea": {}, "a": 1}, "b": 2}`:                  `{"mcpServers": { "a": 1}, "b": 2}`,
		"{\"mcpServers\": {\n\"a\": 1, // of a\n\"fovea\": {},\n}}":      "{\"mcpServers\": {\n\"a\": 1 // of a\n}}",
		"{\"mcpServers\": {\n// ours\n\"fovea\": {},\n// a\n\"a\": 1,}}": "{\"mcpServers\": {\n// a\n\"a\": 1,}}",
		`{"mcpServers": [1, /* x */], "fovea": {}}`:                      `{"mcpServers": [1, /* x */], "fovea": {}}`,
		`{"a/b~c": 1, "mcpServers/fovea": {}}`:                           `{"a/b~c": 1, "mcpServers/fovea": {}}`,
		" \n":                                                            " \n",
	} {
		got, err := cutJSON(text)
		if again, errAgain := cutJSON(got); got != want || err != nil || errAgain != nil || again != got {
			t.Errorf("%s: left is %q, want %q, %v; then %q, %v", text, got, want, err, again, errAgain)
		}
		if json.Valid([]byte(text)) && !json.Valid([]byte(got)) {
			t.Errorf("%s: left is no JSON: %s", text, got)
		}
	}
	const ours = `{"hooks":[{"command":"fovea hook --memex x"}]}`
	got, err := editJSON(`{"hooks": {"~1/a~": [1, `+ours+`], "~1/a~": [0, `+ours+`]}}`, cutHooks)
	if want := `{"hooks": {"~1/a~": [1], "~1/a~": [0, ` + ours + `]}}`; err != nil || got != want {
		t.Errorf("an event with / and ~: %s, %v", got, err)
	}
}

// TestReadOnlyStays: a file that its owner made read-only is not replaced.
func TestReadOnlyStays(t *testing.T) {
	file := filepath.Join(t.TempDir(), "conf")
	must(t, os.WriteFile(file, []byte("{}"), 0o444))
	if _, _, err := All[0].Server(exampleServer).Write(file); err == nil || !strings.Contains(err.Error(), "read-only") || read(t, file) != "{}" {
		t.Errorf("%v, %s", err, read(t, file))
	}
	entries, err := os.ReadDir(filepath.Dir(file))
	if err != nil || len(entries) != 1 {
		t.Errorf("%v, %v", entries, err)
	}
}
