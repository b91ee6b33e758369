// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package config

import (
	"crypto/rand"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golang.org/x/mod/sumdb/note"
)

// signs reports whether the keys know what their signer signs.
func signs(t *testing.T, by, known Keys) bool {
	t.Helper()
	msg, err := note.Sign(&note.Note{Text: "head\n"}, by.Signer)
	if err != nil {
		t.Fatal(err)
	}
	_, err = note.Open(msg, known.Verifiers)
	return err == nil
}

func TestKeysAreMadeOnce(t *testing.T) {
	home := filepath.Join(folders(t), "home")
	environment(t, map[string]string{"HOME": home})
	var c Config
	all := make([]Keys, 8)
	var wg sync.WaitGroup
	for i := range all {
		wg.Go(func() { all[i] = c.Keys() })
	}
	wg.Wait()
	for _, k := range all {
		if k.Problem != "" {
			t.Fatal(k.Problem)
		}
		if !signs(t, k, all[0]) {
			t.Error("two processes got two keys")
		}
	}
	folder := filepath.Join(home, ".config/fovea")
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]fs.FileMode{}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		got[e.Name()] = info.Mode()
	}
	if len(got) != 2 || got[keyName] != 0o600 || got[publicName] != 0o644 {
		t.Errorf("the folder has %v", got)
	}
}

func TestTrustedKeys(t *testing.T) {
	root := folders(t, "laptop", "desk")
	at := func(name string, c Config) Keys {
		environment(t, map[string]string{"XDG_CONFIG_HOME": filepath.Join(root, name)})
		return c.Keys()
	}
	laptop := at("laptop", Config{})
	public, err := os.ReadFile(filepath.Join(root, "laptop/fovea", publicName))
	if err != nil {
		t.Fatal(err)
	}
	line := strings.TrimSpace(string(public))
	if signs(t, laptop, at("desk", Config{})) {
		t.Error("a key counts that nobody named")
	}
	for _, c := range []Config{{TrustedKeys: []string{line}}, {TrustedKeys: []string{line, line}}} {
		if !signs(t, laptop, at("desk", c)) || !signs(t, laptop, at("laptop", c)) {
			t.Errorf("a key that is named %d times does not count", len(c.TrustedKeys))
		}
	}

	name := filepath.Join(root, "config.toml")
	file(t, name, "trusted_keys = ["+`"`+line+`"`+"]")
	environment(t, map[string]string{"MEMORY_SNAPSHOT_PATH": root + "/state", "MEMEX_ROOT": root + "/notes"})
	if c, err := Load(Flags{}, name); err != nil || len(c.TrustedKeys) != 1 || len(c.Problems) > 0 {
		t.Errorf("got %v, %v, %v", c.TrustedKeys, c.Problems, err)
	}
	file(t, name, `trusted_keys = ["laptop+1+x"]`)
	if c, err := Load(Flags{}, name); err != nil || len(c.Problems) != 1 || !strings.Contains(c.Problems[0], "key.pub") {
		t.Errorf("a malformed key: got %v, %v", c.Problems, err)
	}
}

func TestKeysThatCannotBeUsed(t *testing.T) {
	secret, _, err := note.GenerateKey(rand.Reader, "machine")
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name, text string
		mode       fs.FileMode
		says       string
	}{
		{"read by others", secret, 0o644, "chmod 600"},
		{"read by the group", secret, 0o640, "chmod 600"},
		{"a folder", "", fs.ModeDir | 0o700, "folder"},
		{"empty", "", 0o600, "is not a key"},
		{"cut short", secret[:len(secret)-4], 0o600, "is not a key"},
		{"something else", "PRIVATE+KEY+machine+00000000+AQID", 0o600, "is not a key"},
		{"a public key", "machine+00000000+AQID", 0o600, "is not a key"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			root := folders(t, "fovea")
			name := filepath.Join(root, "fovea", keyName)
			if tc.mode.IsDir() {
				if err := os.Mkdir(name, tc.mode.Perm()); err != nil {
					t.Fatal(err)
				}
			} else {
				file(t, name, tc.text)
				if err := os.Chmod(name, tc.mode); err != nil {
					t.Fatal(err)
				}
			}
			environment(t, map[string]string{"XDG_CONFIG_HOME": root})
			k := new(Config).Keys()
			if k.Signer != nil || !strings.Contains(k.Problem, tc.says) || !strings.Contains(k.Problem, name) || k.Verifiers == nil {
				t.Errorf("signer %v, problem %q", k.Signer, k.Problem)
			}
			if strings.Contains(k.Problem, "AQID") || strings.Contains(k.Problem, secret) {
				t.Errorf("%q shows the key", k.Problem)
			}
			if text, err := os.ReadFile(name); !tc.mode.IsDir() && (err != nil || string(text) != tc.text) {
				t.Errorf("the file is now %q, %v", text, err)
			}
		})
	}
	environment(t, nil)
	if k := new(Config).Keys(); k.Signer != nil || !strings.Contains(k.Problem, "HOME") {
		t.Errorf("no home: %+v", k)
	}
}

func FuzzParseKey(f *testing.F) {
	secret, _, err := note.GenerateKey(rand.Reader, "machine")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(secret)
	f.Add("PRIVATE+KEY+machine+00000000+AQID")
	f.Fuzz(func(t *testing.T, secret string) {
		signer, public, err := parseKey(secret)
		if err != nil {
			return
		}
		v, err := note.NewVerifier(public)
		if err != nil {
			t.Fatalf("its public key is refused: %v", err)
		}
		sig, err := signer.Sign([]byte("head\n"))
		if err != nil || !v.Verify([]byte("head\n"), sig) {
			t.Fatalf("its public key does not know what it signs: %v", err)
		}
	})
}
