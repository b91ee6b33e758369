// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestEmbed reads the table of the embedder.
func TestEmbed(t *testing.T) {
	for _, tc := range []struct {
		name, table, env string
		want             Embed
		problem          string
	}{
		{"none", "", "", Embed{}, ""},
		{"Ollama where it always is", `kind = "ollama"`, "", Embed{Kind: "ollama", URL: "http://127.0.0.1:11434"}, ""},
		{"Ollama elsewhere", `kind = "ollama"`, "OLLAMA_HOST=box", Embed{Kind: "ollama", URL: "http://box:11434"}, ""},
		{"any server", "url = 'http://x:1'\nmodel = 'm'\nall = true", "", Embed{Kind: "auto", URL: "http://x:1", Model: "m", All: true}, ""},
		{"a key", "url = 'http://x:1'\nkey_env = 'K'", "K=secret", Embed{Kind: "auto", URL: "http://x:1", Key: "secret"}, ""},
		{"cut", "kind = 'tei'\nurl = 'http://x:1'\ndimensions = 256\nnested = true\n" +
			"query_prefix = 'q: '\ndocument_prefix = 'd: '", "",
			Embed{Kind: "tei", URL: "http://x:1", Dimensions: 256, Nested: true, QueryPrefix: "q: ", DocumentPrefix: "d: "}, ""},
		{"a folder", "folder = '/models/small'", "", Embed{Kind: "file", Folder: "/models/small"}, ""},
		{"no key there", "key_env = 'K'", "", Embed{}, "key_env: the environment has no K"},
		{"unknown", "modle = 'm'", "", Embed{},
			`unknown key "modle"; there are all, dimensions, document_prefix, folder, key_env, kind, model, nested, query_prefix, url`},
		{"not true or false", "all = 'yes'", "", Embed{}, "all: yes is neither true nor false"},
		{"not a number", "dimensions = 'few'", "", Embed{}, "dimensions: "},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := home(t)
			file := filepath.Join(dir, "config.toml")
			if err := os.WriteFile(file, []byte("[embed]\n"+tc.table+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			if name, value, ok := strings.Cut(tc.env, "="); ok {
				t.Setenv(name, value)
			}
			c, err := Load(Flags{Memex: filepath.Join(dir, "notes")}, file)
			if err != nil {
				t.Fatal(err)
			}
			if c.Embed != tc.want {
				t.Errorf("%+v, want %+v", c.Embed, tc.want)
			}
			if got := strings.Join(c.Problems, "\n"); !strings.Contains(got, tc.problem) || tc.problem == "" && got != "" || strings.Contains(got, "secret") {
				t.Errorf("problems %q, want %q", got, tc.problem)
			}
			if connect := c.Embed.Connector(""); (connect != nil) != (tc.want.Kind != "") {
				t.Error("the connector")
			}
		})
	}
}

// TestOllamaAddress reads the variable as Ollama does.
func TestOllamaAddress(t *testing.T) {
	for host, want := range map[string]string{
		"":                  "http://127.0.0.1:11434",
		"0.0.0.0":           "http://127.0.0.1:11434",
		"0.0.0.0:5000":      "http://127.0.0.1:5000",
		"box:5000":          "http://box:5000",
		"https://box:5000/": "https://box:5000",
		"http://10.0.0.1":   "http://10.0.0.1:11434",
	} {
		t.Setenv("OLLAMA_HOST", host)
		if got := OllamaAddress(); got != want {
			t.Errorf("%q: %s, want %s", host, got, want)
		}
	}
}

// TestAddEmbed: the table comes behind what is there, once.
func TestAddEmbed(t *testing.T) {
	dir := home(t)
	name := filepath.Join(dir, "c", "fovea", "config.toml")
	c := Config{}
	e := Embed{Kind: "ollama", URL: "http://127.0.0.1:11434", Model: "tiny"}
	if _, err := c.AddEmbed(e); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(name)
	if want := "[embed]\nkind = \"ollama\"\nurl = \"http://127.0.0.1:11434\"\nmodel = \"tiny\"\n"; err != nil || string(text) != want {
		t.Errorf("%v, the file is\n%s", err, text)
	}
	if _, err := c.AddEmbed(e); err == nil || !strings.Contains(err.Error(), "there is a table embed already") {
		t.Errorf("a second time: %v", err)
	}
	if err := os.WriteFile(name, []byte("# mine\nbudget = 9\n[guard]\nask = ['a']"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := c.AddEmbed(e); err != nil {
		t.Fatal(err)
	}
	loaded, err := Load(Flags{Memex: filepath.Join(dir, "notes")}, name)
	if err != nil || loaded.Embed != e || loaded.Budget != 9 || len(loaded.Problems) > 0 {
		t.Errorf("%+v, %v", loaded, err)
	}
}
