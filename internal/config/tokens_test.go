// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// home makes an environment with folders of its own.
func home(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	environment(t, map[string]string{"HOME": dir, "XDG_CONFIG_HOME": filepath.Join(dir, "c")})
	return dir
}

// TestTokens: a secret finds its token after a restart, the file does not hold it,
// and what others can read is not used.
func TestTokens(t *testing.T) {
	dir := home(t)
	tokens, err := ReadTokens()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tokens.Find(""); !errors.Is(err, ErrToken) {
		t.Errorf("no secret: %v", err)
	}
	secret, err := tokens.Add(Token{Name: "laptop", Agent: "claude", Role: "agent", Scopes: []string{"project/river"}, Paths: []string{"river/"},
		Made: time.Unix(1, 0)})
	if err != nil || len(secret) < 26 {
		t.Fatalf("%q, %v", secret, err)
	}
	for name, want := range map[string]error{"laptop": ErrTokenMade, "": ErrTokenName, "a b": ErrTokenName, "ä": ErrTokenName} {
		if _, err := tokens.Add(Token{Name: name, Agent: "x", Role: "agent"}); !errors.Is(err, want) {
			t.Errorf("name %q: %v", name, err)
		}
	}
	file := filepath.Join(dir, "c", "fovea", "tokens.json")
	text, err := os.ReadFile(file)
	info, _ := os.Stat(file)
	if err != nil || strings.Contains(string(text), secret) || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %s, %v", info.Mode(), text, err)
	}
	if tokens, err = ReadTokens(); err != nil {
		t.Fatal(err)
	}
	got, err := tokens.Find(secret)
	want := Token{Name: "laptop", Agent: "claude", Role: "agent", Scopes: []string{"project/river"}, Paths: []string{"river/"}, Hash: hashOf(secret),
		Made: time.Unix(1, 0).UTC()}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v, (-want +got):\n%s", err, diff)
	}
	for _, wrong := range []string{"", secret + "x", secret[1:], hashOf(secret)} {
		if _, err := tokens.Find(wrong); !errors.Is(err, ErrToken) {
			t.Errorf("%q: %v", wrong, err)
		}
	}
	if err := tokens.Remove("desk"); !errors.Is(err, ErrNoToken) {
		t.Errorf("removed what is not there: %v", err)
	}
	if err := tokens.Remove("laptop"); err != nil {
		t.Fatal(err)
	}
	if _, err := tokens.Find(secret); !errors.Is(err, ErrToken) {
		t.Errorf("removed: %v", err)
	}
	if err := os.Chmod(file, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadTokens(); err == nil || !strings.Contains(err.Error(), "chmod 600") {
		t.Errorf("readable by others: %v", err)
	}
}

// TestGrants: a table for each agent; one that is malformed grants nothing.
func TestGrants(t *testing.T) {
	for _, tc := range []struct {
		name, file string
		want       map[string]Grant
		problem    string
	}{
		{"none", "", nil, ""},
		{"two", "[grants.a]\npaths = ['p/']\noperations = ['rollback']\n[grants.b]\n",
			map[string]Grant{"a": {Paths: []string{"p/"}, Operations: []string{"rollback"}}, "b": {}}, ""},
		{"not a table", "grants = 1", nil, "grants: 1 is not a table of agents; it is ignored"},
		{"no list", "[grants.a]\npaths = 'p'", nil, "grants: a: paths: p is not a list of texts; it is ignored"},
		{"unknown key", "[grants.a]\npath = []", nil, `grants: a: unknown key "path"; there are operations, paths, review; it is ignored`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := home(t)
			file := filepath.Join(dir, "config.toml")
			if err := os.WriteFile(file, []byte(tc.file), 0o600); err != nil {
				t.Fatal(err)
			}
			c, err := Load(Flags{Memex: dir + "/m"}, file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, c.Grants); diff != "" {
				t.Errorf("grants (-want +got):\n%s", diff)
			}
			if got := strings.Join(c.Problems, "\n"); !strings.HasSuffix(got, tc.problem) || (got == "") != (tc.problem == "") {
				t.Errorf("problems %q, want %q", got, tc.problem)
			}
		})
	}
}

// TestSocket: one memex with one state has one socket, whose path every system
// takes; another state has another.
func TestSocket(t *testing.T) {
	dir := t.TempDir()
	long := "/" + strings.Repeat("x", 100)
	socket := func(memex, state, runtime string) string {
		t.Helper()
		c := Config{Memex: memex, StateDir: state}
		environment(t, map[string]string{"XDG_RUNTIME_DIR": runtime})
		s, err := c.Socket()
		if err != nil || len(s) > 103 || !filepath.IsAbs(s) {
			t.Errorf("%q, %v", s, err)
		}
		return s
	}
	m, s := filepath.Join(dir, "m"), filepath.Join(dir, "s")
	if err := os.Mkdir(m, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(m, filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	one := socket(m, s, "/run/user/1")
	if !strings.HasPrefix(one, "/run/user/1/fovea/") {
		t.Errorf("%s is not in the folder for sockets", one)
	}
	if other := socket(filepath.Join(dir, "link"), s, "/run/user/1"); other != one {
		t.Errorf("by a link: %s, want %s", other, one)
	}
	if other := socket(m, s+"2", "/run/user/1"); other == one {
		t.Error("another state has the same socket")
	}
	for _, runtime := range []string{"", "run", long} {
		if other := socket(m, s, runtime); strings.HasPrefix(other, long) {
			t.Errorf("runtime folder %q: %s", runtime, other)
		}
	}
}

// TestTokensAtOnce: of tokens that are added and removed at the same time, as by several
// commands, none is lost and none comes back.
func TestTokensAtOnce(t *testing.T) {
	home(t)
	fresh := func() *Tokens {
		tokens, err := ReadTokens()
		if err != nil {
			t.Error(err)
			return &Tokens{}
		}
		return tokens
	}
	const many = 16
	secrets := make([]string, many)
	for i := range many / 2 {
		if _, err := fresh().Add(Token{Name: fmt.Sprint("old", i), Role: "reader"}); err != nil {
			t.Fatal(err)
		}
	}
	var wg sync.WaitGroup
	for i := range many {
		adding, removing := fresh(), fresh() // what each has read is old when it writes
		wg.Go(func() {
			var err error
			if secrets[i], err = adding.Add(Token{Name: fmt.Sprint("new", i), Role: "reader"}); err != nil {
				t.Error(err)
			}
		})
		wg.Go(func() {
			if err := removing.Remove(fmt.Sprint("old", i)); (err == nil) != (i < many/2) {
				t.Errorf("old%d: %v", i, err)
			}
		})
	}
	wg.Wait()
	tokens := fresh()
	if len(tokens.All) != many {
		t.Errorf("%d tokens are left, want %d", len(tokens.All), many)
	}
	for i, secret := range secrets {
		if got, err := tokens.Find(secret); err != nil || got.Name != fmt.Sprint("new", i) {
			t.Errorf("new%d: %q, %v", i, got.Name, err)
		}
	}
}
