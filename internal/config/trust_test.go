// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// otherKey is that of another machine: the first key of RFC 8032.
const otherKey = "machine+1aa4341c+AddamAGCsQq31Uv+08lkBzoO4XLz2qYjJa8CGmj3B1Ea"

func TestParsePublicKey(t *testing.T) {
	k, err := ParsePublicKey("  " + otherKey + "\n")
	if err != nil || k.Line != otherKey || k.Name != "machine" || !strings.HasPrefix(k.Fingerprint, "SHA256:") || len(k.Fingerprint) != 7+43 {
		t.Errorf("%+v, %v", k, err)
	}
	for _, text := range []string{"", "x", otherKey[:len(otherKey)-4], otherKey + "\n" + otherKey, "PRIVATE+KEY+machine+1aa4341c+AA"} {
		if _, err := ParsePublicKey(text); !errors.Is(err, ErrPublicKey) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestTrustKey: the key comes into the file, and every byte that was there stays.
func TestTrustKey(t *testing.T) {
	const q = `"` + otherKey + `"`
	for _, tc := range []struct{ name, file, want string }{
		{"no file", "", "trusted_keys = [" + q + "]\n"},
		{"no list", "# mine\nbudget = 9 # few\n[guard]\nask = ['a']\n", "trusted_keys = [" + q + "]\n# mine\nbudget = 9 # few\n[guard]\nask = ['a']\n"},
		{"an empty list", "budget = 9\ntrusted_keys = [] # none\n", "budget = 9\ntrusted_keys = [" + q + "] # none\n"},
		{"comments in a list", "trusted_keys = [\n  # none yet\n]\n", "trusted_keys = [" + q + "\n  # none yet\n]\n"},
		{"in a text", "memex = '''\ntrusted_keys = [\n'''\n", ""},
		{"in a table", "[grants.a]\ntrusted_keys = []\n", ""},
		{"in quotes", "\"trusted_keys\" = []\n", ""},
		{"not a list", "trusted_keys = 7\n", ""},
		{"not TOML", "trusted_keys = [\n", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := home(t)
			name := filepath.Join(dir, "c", "fovea", "config.toml")
			c := Config{}
			if tc.file != "" {
				c.File = name
				if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, []byte(tc.file), 0o640)); err != nil {
					t.Fatal(err)
				}
			}
			key, err := ParsePublicKey(otherKey)
			if err != nil {
				t.Fatal(err)
			}
			got, err := c.TrustKey(key)
			text, _ := os.ReadFile(name)
			if tc.want == "" {
				if err == nil || string(text) != tc.file {
					t.Errorf("%v, the file is\n%s", err, text)
				}
				return
			}
			if err != nil || got != name || string(text) != tc.want {
				t.Errorf("%s, %v, the file is\n%s", got, err, text)
			}
			if again, err := c.TrustKey(key); err != nil || again != name {
				t.Errorf("again: %s, %v", again, err)
			}
			if now, _ := os.ReadFile(name); string(now) != tc.want {
				t.Errorf("again the file is\n%s", now)
			}
			if info, err := os.Stat(name); err != nil || tc.file != "" && info.Mode().Perm() != 0o640 || tc.file == "" && info.Mode().Perm() != 0o600 {
				t.Errorf("%v, %v", info.Mode(), err)
			}
			if left, err := os.ReadDir(filepath.Dir(name)); err != nil || len(left) != 2 { // the file and .lock
				t.Errorf("the folder has %v, %v", left, err)
			}
		})
	}
}
