// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package clients

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/internal/foveatest"
)

var exampleServer = Server{"/opt/my tools/fovea", []string{"mcp", "--memex", `/home/ada/"notes"`, "--agent", "x"}}

// TestSetupPrints: what each client is told, as golden files.
func TestSetupPrints(t *testing.T) {
	for _, c := range All {
		foveatest.Golden(t, "setup/"+c.Name+".golden", []byte(c.Server(exampleServer).Text))
	}
}

// TestSetupMerges: what was in a client's file stays, byte for byte; a second time
// changes nothing; what is not understood is left alone.
func TestSetupMerges(t *testing.T) {
	const entry = "{\n      \"command\": \"fovea\",\n      \"args\": [\"mcp\"]\n    }"
	s := Server{"fovea", []string{"mcp"}}
	byName := map[string]Client{}
	for _, c := range All {
		byName[c.Name] = c
	}
	for _, tc := range []struct{ name, client, text, want, fault string }{
		{"no file", "cursor", "", "{\n  \"mcpServers\": {\n    \"fovea\": " + entry + "\n  }\n}\n", ""},
		{"empty object", "cursor", "{}", "{\n  \"mcpServers\": {\n    \"fovea\": " + entry + "\n  }\n}", ""},
		{"other settings", "claude-code", "{\"z\": 1,\n\t\"a\":[2, 3.50]}\n", "{\n  \"mcpServers\": {\n    \"fovea\": " + entry +
			"\n  },\"z\": 1,\n\t\"a\":[2, 3.50]}\n", ""},
		{"other servers", "cursor", "{\"mcpServers\": {\"b\": {\"command\": \"x\"}}, \"c\": null}", "{\"mcpServers\": {\n    \"fovea\": " + entry +
			",\"b\": {\"command\": \"x\"}}, \"c\": null}", ""},
		{"no servers yet", "cursor", "{\"mcpServers\": {  }}", "{\"mcpServers\": {\n    \"fovea\": " + entry + "\n  }}", ""},
		{"an older entry", "cursor", "{\"mcpServers\": {\"a\": 1, \"fovea\": {\"command\": \"old\", \"args\": []}, \"b\": 2}}",
			"{\"mcpServers\": {\"a\": 1, \"fovea\": " + entry + ", \"b\": 2}}", ""},
		{"the same, written otherwise", "cursor", "{\"mcpServers\":{\"fovea\":{\"args\":[\"mcp\"],\"command\":\"fovea\"}}}",
			"{\"mcpServers\":{\"fovea\":{\"args\":[\"mcp\"],\"command\":\"fovea\"}}}", ""},
		{"a comment alone", "cursor", "{ // mine\n}", "{\n  \"mcpServers\": {\n    \"fovea\": " + entry + "\n  } // mine\n}", ""},
		{"comments and commas at ends", "cursor", "// top\n{\n  /* of a */ \"a\": [1, 2,],\n  \"mcpServers\": {\n    \"b\": {}, // of b\n  },\n}\n// end",
			"// top\n{\n  /* of a */ \"a\": [1, 2,],\n  \"mcpServers\": {\n    \"fovea\": " + entry + ",\n    \"b\": {}, // of b\n  },\n}\n// end", ""},
		{"an older entry with comments", "cursor", "{\"mcpServers\": {/* f */ \"fovea\": {\"command\": \"old\", /* x */}, /* b */ \"b\": 2,},}",
			"{\"mcpServers\": {/* f */ \"fovea\": " + entry + ", /* b */ \"b\": 2,},}", ""},
		{"the same, with comments", "cursor", "{\"mcpServers\":{\"fovea\":{\"args\":[\"mcp\",],\"command\":\"fovea\"/* x */}}}",
			"{\"mcpServers\":{\"fovea\":{\"args\":[\"mcp\",],\"command\":\"fovea\"/* x */}}}", ""},
		{"no JSON", "cursor", "{\n  \"a\": 1\n  \"b\": 2}", "", "line 3, column 3"},
		{"a comment and no object", "cursor", "// mine\n", "", "not JSON"},
		{"a text", "cursor", "\"x\"", "", "not a JSON object"},
		{"too deep", "cursor", strings.Repeat("[", maxBrackets+1), "", "brackets"},
		{"deep", "cursor", strings.Repeat("[", maxBrackets), "", "not JSON"},
		{"a list", "cursor", "[]", "", "not a JSON object"},
		{"servers are a list", "cursor", "{\"mcpServers\": []}", "", "not a JSON object"},
		{"no TOML", "codex", "", "[mcp_servers.fovea]\ncommand = \"fovea\"\nargs = [\"mcp\"]\n", ""},
		{"other tables", "codex", "model = \"x\" # mine\n[mcp_servers.b]\ncommand = \"y\"",
			"model = \"x\" # mine\n[mcp_servers.b]\ncommand = \"y\"\n\n[mcp_servers.fovea]\ncommand = \"fovea\"\nargs = [\"mcp\"]\n", ""},
		{"an older table", "codex", "[mcp_servers.fovea]\ncommand = \"old\"\n[z]\na = 1\n",
			"[z]\na = 1\n\n[mcp_servers.fovea]\ncommand = \"fovea\"\nargs = [\"mcp\"]\n", ""},
		{"the same table", "codex", "[mcp_servers]\n  [mcp_servers.fovea]\n  args = [\"mcp\"]\n  command = \"fovea\"\n",
			"[mcp_servers]\n  [mcp_servers.fovea]\n  args = [\"mcp\"]\n  command = \"fovea\"\n", ""},
		{"an inline table", "codex", "mcp_servers = {b = {command = \"x\"}}\n", "", "by hand"},
		{"a table in a text", "codex", "a = '''\n[mcp_servers.fovea]\nx\n[b]\n'''\n", "", "by hand"},
		{"an inline entry", "codex", "[mcp_servers]\nfovea = {command = \"old\"}\n", "", "by hand"},
		{"no TOML at all", "codex", "= =", "", "toml"},
		{"no Lisp", "gptel", "", lispServer(s), ""},
		{"own Lisp", "gptel", "(message \"a\")", "(message \"a\")\n" + lispServer(s), ""},
		{"an older part", "gptel", "(a)\n" + lispServer(exampleServer) + "(b)\n", "(a)\n" + lispServer(s) + "(b)\n", ""},
		{"half a part", "gptel", lispBegin + "\n(a)\n", "", "by hand"},
	} {
		got, err := byName[tc.client].merge(tc.text, s)
		if tc.fault != "" {
			if err == nil || !strings.Contains(err.Error(), tc.fault) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s: %q, %v; want %q", tc.name, got, err, tc.fault)
			}
			continue
		}
		if d := cmp.Diff(tc.want, got); d != "" || err != nil {
			t.Errorf("%s: %v\n%s", tc.name, err, d)
		}
		if again, err := byName[tc.client].merge(got, s); err != nil || again != got {
			t.Errorf("%s: a second time %v\n%s", tc.name, err, cmp.Diff(got, again))
		}
	}
}

// TestSetupFindsTheFileOfEmacs: the one that Emacs reads, and none that would be read
// in the place of the person's own.
func TestSetupFindsTheFileOfEmacs(t *testing.T) {
	for _, tc := range []struct {
		name string
		have []string
		want string
	}{
		{"nothing", nil, ".emacs.d/init.el"},
		{"a folder of the old kind", []string{".emacs.d/elpa/x"}, ".emacs.d/init.el"},
		{"a folder of the new kind", []string{".config/emacs/init.el"}, ".config/emacs/init.el"},
		{"both folders", []string{".config/emacs/init.el", ".emacs.d/init.el"}, ".emacs.d/init.el"},
		{"a file", []string{".emacs", ".emacs.d/init.el"}, ".emacs"},
		{"two files", []string{".emacs", ".emacs.el"}, ".emacs.el"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			home := t.TempDir()
			for _, file := range tc.have {
				name := filepath.Join(home, filepath.FromSlash(file))
				if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(name, nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if got := emacsInit(home); got != filepath.Join(home, filepath.FromSlash(tc.want)) {
				t.Errorf("%s, want %s", got, tc.want)
			}
		})
	}
}

// TestSetupKeepsTheFile: the file as it was is kept beside, each time under a name of
// its own, its mode stays, and a link stays a link.
func TestSetupKeepsTheFile(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "real.json"), filepath.Join(dir, "link.json")
	if err := os.WriteFile(file, []byte("first"), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(file, link); err != nil {
		t.Fatal(err)
	}
	for _, next := range []string{"second", "third", "third"} {
		if _, _, err := mergeFile(link, func(string) (string, error) { return next, nil }); err != nil {
			t.Fatal(err)
		}
	}
	got := map[string]string{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		got[e.Name()] = string(text)
	}
	want := map[string]string{"real.json": "third", "link.json": "third", "real.json.before-fovea-1": "first", "real.json.before-fovea-2": "second"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v", err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}
