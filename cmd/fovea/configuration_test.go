// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/mod/sumdb/note"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/internal/config"
	"github.com/fovea-memory/fovea/internal/daemon"
	"github.com/fovea-memory/fovea/internal/foveatest"
)

// configured is a daemon whose configuration file a test changes.
type configured struct {
	*served
	file    string
	address daemon.Address
}

// newConfigured starts a daemon with a port.
func newConfigured(t *testing.T, text string) *configured {
	t.Helper()
	s := &configured{served: newServed(t)}
	s.file = filepath.Join(filepath.Dir(s.state), "config", "fovea", "config.toml")
	if err := os.MkdirAll(filepath.Dir(s.file), 0o700); err != nil {
		t.Fatal(err)
	}
	s.write(s.file, text)
	s.write(filepath.Join(s.memex, "core.org"), "* The door\n:PROPERTIES:\n:ID: door\n:END:\nIt is green.\n")
	if said, err := s.command("serve", "--detach", "--http").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	var st api.Status
	if err := json.Unmarshal([]byte(s.run("status", "--json")), &st); err != nil {
		t.Fatal(err)
	}
	var err error
	if s.address, err = foveatest.Address[daemon.Address](st.StateDir); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *configured) write(name, text string) {
	s.t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// ask sends a request of the owner, which must end well, and decodes the answer.
func (s *configured) ask(method, path, body string, into any) {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), method, s.address.URL+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	answer, err := (&http.Client{Transport: withToken(s.address.Token)}).Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil || answer.StatusCode != http.StatusOK {
		s.t.Fatalf("%s %s: %d %s %v", method, path, answer.StatusCode, text, err)
	}
}

// effectWithin is how long a setting may take: two seconds, and more where other work may share the
// machine.
func effectWithin() time.Duration {
	if os.Getenv("FOVEA_CAMPAIGN") != "" {
		return 2 * time.Second
	}
	return 30 * time.Second
}

// eventually waits until holds does.
func (s *configured) eventually(what string, holds func() bool) {
	s.t.Helper()
	for end := time.Now().Add(effectWithin()); !holds(); pause(s.t.Context(), 20*time.Millisecond) {
		if time.Now().After(end) {
			s.t.Fatalf("%s: it does not take effect\n%s", what, s.run("status"))
		}
	}
}

func (s *configured) digests() map[string]string {
	var h api.Hello
	s.ask("GET", "/v1/hello", "", &h)
	return h.Settings
}

// openedAgain counts how often the daemon opened its memory under another configuration.
func (s *configured) openedAgain() int {
	var logs struct{ Lines []string }
	s.ask("GET", "/v1/logs?limit=1000", "", &logs)
	return strings.Count(strings.Join(logs.Lines, "\n"), "the memory was opened again")
}

// session is an MCP session of the agent ada, with a token.
func (s *configured) session() func(tool string, args map[string]any) string {
	s.t.Helper()
	secret := strings.TrimSpace(s.run("token", "add", "ada"))
	return s.over(&mcp.StreamableClientTransport{Endpoint: s.address.URL + "/mcp", HTTPClient: &http.Client{Transport: withToken(secret)}})
}

// stdio is an MCP session with a process of its own.
func (s *configured) stdio() func(tool string, args map[string]any) string {
	return s.over(&mcp.CommandTransport{Command: s.command("mcp")})
}

func (s *configured) over(way mcp.Transport) func(tool string, args map[string]any) string {
	s.t.Helper()
	c, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(s.t.Context(), way,
		&mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = c.Close() })
	return func(tool string, args map[string]any) string {
		r, err := c.CallTool(context.Background(), &mcp.CallToolParams{Name: tool, Arguments: args})
		if err != nil {
			s.t.Fatalf("%s %v: %v", tool, args, err)
		}
		return r.Content[0].(*mcp.TextContent).Text
	}
}

// TestEverySettingTakesEffect: each setting of the configuration takes effect in a running daemon,
// or a person is told that it waits for a restart. A new setting needs a row.
func TestEverySettingTakesEffect(t *testing.T) {
	t.Parallel()
	s := newConfigured(t, "")
	_, public, err := note.GenerateKey(rand.Reader, "other")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]string{
		"skills_dir": `skills_dir = "craft"`, "opaque": `opaque = ["a.txt"]`, "owner_names": `owner_names = ["ada"]`, "projects": "[projects]\nboat = [\"boat/\"]",
		"guard": "[guard]\nlockdown = [\"x.org\"]",
		"trust": "[trust]\nagents = [\"ada\"]", "embed": "[embed]\nkind = \"ollama\"\nurl = \"http://127.0.0.1:1\"\nmodel = \"m\"",
		"rerank": "[rerank]\nurl = \"http://127.0.0.1:1\"\nmodel = \"m\"", "ipfs": "[ipfs]\napi = \"http://127.0.0.1:1\"",
		"summary": "[summary]\nurl = \"http://127.0.0.1:1/v1\"\nmodel = \"m\"", "record": "[record]\nwindows = false", "org": "[org]\ntodo = \"OPEN | SHUT\"",
		"emacs_locations": `emacs_locations = "/nowhere"`, "semantic_threshold": "semantic_threshold = 0.5", "log_limit": "log_limit = 3", "budget": "budget = 300",
		"alerts": `alerts = ["ntfy://127.0.0.1:1/x"]`, "trusted_keys": "trusted_keys = [\"" + public + "\"]",
		"seal_for": "seal_for = [\"" + strings.Fields(s.run("bundle", "key"))[0] + "\"]", "history_warn_mb": "history_warn_mb = 1",
		"writes_per_minute": "writes_per_minute = 7", "grants": "[grants.ada]\npaths = [\"x.org\"]", "review": `review = ["x.org"]`,
		"sync": `sync = "off"`,
	}
	ofClients := map[string]bool{"server_memory_file": true, "color": true, "pager": true} // that read it when they start; a daemon does not
	of := reflect.TypeFor[config.Config]()
	tried := 0
	for field := range of.Fields() {
		key := field.Tag.Get("key")
		switch {
		case key == "" || ofClients[key]:
			continue
		case key == "memex": // see TestMemexWaitsForARestart
			continue
		case rows[key] == "":
			t.Errorf("%s: no row says how it takes effect in a running daemon", key)
			continue
		}
		if tried++; foveatest.Thin(tried, 5) {
			continue
		}
		s.write(s.file, rows[key]+"\n")
		c, err := config.Load(config.Flags{Memex: s.memex}, s.file)
		if err != nil || len(c.Problems) > 0 {
			t.Errorf("%s: %v %v", key, err, c.Problems)
			continue
		}
		want := c.Digests()
		s.eventually(key, func() bool { return reflect.DeepEqual(s.digests(), want) }) // secrets are in no digest; see effects
	}
	if got := s.openedAgain(); got < 8 && !testing.Short() {
		t.Errorf("the memory was opened again %d times", got)
	}
}

// TestAlertsAndIPFSTakeEffect: a daemon that runs sends alerts where the file says now, and asks the
// node of IPFS that it names now. No digest of a setting shows that: alerts are secret, and whether a
// checkpoint reaches the node only the node knows.
func TestAlertsAndIPFSTakeEffect(t *testing.T) {
	t.Parallel()
	s := newConfigured(t, "")
	first, firstAsked := counting(t)
	second, secondAsked := counting(t)
	changes := 0
	for _, to := range []struct {
		url   string
		asked *atomic.Int32
	}{{first, firstAsked}, {second, secondAsked}, {first, firstAsked}} {
		s.write(s.file, fmt.Sprintf("alerts = [%q]\n", strings.Replace(to.url, "http", "signal", 1)+"/+1/+2?disabletls=yes"))
		before := to.asked.Load()
		s.eventually("alerts", func() bool {
			changes++
			s.put("skills/plan.org", fmt.Sprintf("* Obey %d\n", changes))
			pause(t.Context(), 200*time.Millisecond)
			return to.asked.Load() > before
		})
	}
	for range 2 { // of one node and then of another
		node, asked := counting(t)
		s.write(s.file, fmt.Sprintf("[ipfs]\napi = %q\n", node))
		s.eventually("ipfs", func() bool {
			var c api.Checkpoint
			s.ask("POST", "/v1/checkpoint", `{"to":"ipfs"}`, &c)
			return asked.Load() > 0
		})
	}
}

// counting starts a server that answers nothing, and counts who asks.
func counting(t *testing.T) (url string, asked *atomic.Int32) {
	asked = &atomic.Int32{}
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	t.Cleanup(server.Close)
	return server.URL, asked
}

// TestConfigurationTakesEffectInOpenSessions: what agents and the owner may do, and what they are
// given, follows the file while their sessions stay open.
func TestConfigurationTakesEffectInOpenSessions(t *testing.T) {
	t.Parallel()
	s := newConfigured(t, "")
	ada, own := s.session(), s.stdio()
	edit := func() string {
		return ada("edit", map[string]any{"id": "door", "append": "Ada was here."})
	}
	if text := edit(); !strings.Contains(text, "denied") {
		t.Fatalf("without a grant: %s", text)
	}
	for _, step := range []struct {
		config, what string
		holds        func() bool
	}{
		{"[grants.ada]\npaths = [\"core.org\"]\n", "grants", func() bool { return strings.Contains(edit(), `"seq":`) }},
		{"review = [\"core.org\"]\n[grants.ada]\npaths = [\"core.org\"]\n", "review", func() bool { return strings.Contains(edit(), "until the owner accepts it") }},
		{"", "grants taken back", func() bool { return strings.Contains(edit(), "denied") }},
		{"budget = 300\n", "budget", func() bool {
			var w api.ContextResponse
			s.ask("POST", "/v1/context", `{"question":"door"}`, &w)
			door := map[string]any{"question": "door"}
			return w.Budget == 300 && strings.Contains(ada("context", door), "of 300 tokens") && strings.Contains(own("context", door), "of 300 tokens")
		}},
		{"[guard]\nlockdown = [\"core.org\"]\n", "guard", func() bool { return strings.Contains(s.run("guard", "list"), "core.org") }},
		{"[embed]\nkind = \"ollama\"\nurl = \"http://127.0.0.1:1\"\nmodel = \"m\"\n", "embed", func() bool { return strings.Contains(s.run("status"), "embedder") }},
		{"log_limit = 1\n", "log_limit", func() bool {
			var logs struct{ Lines []string }
			s.ask("GET", "/v1/logs", "", &logs)
			return len(logs.Lines) == 1
		}},
		{"[record]\nwindows = false\n", "record", func() bool {
			before := s.run("windows", "--agent", "ada")
			ada("context", map[string]any{"question": "door"})
			return s.run("windows", "--agent", "ada") == before
		}},
	} {
		s.write(s.file, step.config)
		s.eventually(step.what, step.holds)
	}
}

// TestBrokenConfiguration: a file that cannot be used changes nothing, and status says why, with
// the line; so do verbs, which ask the daemon all the same.
func TestBrokenConfiguration(t *testing.T) {
	t.Parallel()
	const good = "budget = 300\n\n[guard]\nlockdown = [\"core.org\"]\n"
	s := newConfigured(t, good)
	status := func() string {
		var st api.Status
		s.ask("POST", "/v1/status", `{}`, &st)
		return st.Configuration
	}
	for i, broken := range []struct{ text, says string }{
		{"budget = 200\nx = [\n", "line 2"},
		{"budget = 200\n\nlog_limit = \"x\"\n", "config.toml:3: log_limit"},
		{"bugdet = 200\n", `config.toml:1: unknown key "bugdet"; did you mean budget`},
		{"budget = 200\n[guard]\nlockdown = 7\n", "config.toml:2: guard"},
		{"budget = 200\n[embed]\nkind = 7\n", "config.toml:2: embed"},
		{"budget = 200\nprojects = { a = [\"../..\"] }\n", "outside the memex"},
		{"budget = 200\nalerts = [\"x\"]\n", "alerts"},
	} {
		if foveatest.Thin(i, 3) {
			continue
		}
		s.write(s.file, broken.text)
		s.eventually(broken.text+broken.says, func() bool { return strings.Contains(status(), broken.says) })
		var w api.ContextResponse
		if s.ask("POST", "/v1/context", `{"question":"door"}`, &w); w.Budget != 300 {
			t.Errorf("%q: a window has a budget of %d", broken.text, w.Budget)
		}
		if got := s.run("guard", "list"); !strings.Contains(got, "core.org") {
			t.Errorf("%q: guard %s", broken.text, got)
		}
		if got := strings.Join(strings.Fields(s.run("status")), " "); !strings.Contains(got, "what was in force before stays") {
			t.Errorf("%q: status %s", broken.text, got)
		}
	}
	if err := os.Remove(s.file); err != nil {
		t.Fatal(err)
	}
	s.eventually("no file", func() bool { return strings.Contains(status(), "no such file") })
	s.write(s.file, good)
	s.eventually("a good file", func() bool { return status() == "" })
}

// TestOpeningAgainWaitsForVerbs: a verb that takes the store while the daemon opens its memory again
// is waited for, however long it runs, so that it does not end the daemon. With -short it runs for less
// than a verb would wait.
func TestOpeningAgainWaitsForVerbs(t *testing.T) {
	for _, name := range []string{"HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"} {
		t.Setenv(name, t.TempDir())
	}
	s := newSession()
	s.flags = config.Flags{Memex: t.TempDir()}
	if err := s.load(); err != nil {
		t.Fatal(err)
	}
	verb, err := fovea.Open(t.Context(), s.config.Memex, &fovea.Options{StateDir: s.config.StateDir})
	if err != nil {
		t.Fatal(err)
	}
	opened := make(chan error)
	go func() {
		_, err := again(s, func(*fovea.Options) {}, nil).Open(t.Context(), &s.config)
		opened <- err
	}()
	select {
	case err := <-opened:
		t.Fatalf("it did not wait: %v", err)
	case <-time.After(time.Duration(foveatest.Size(int(lockWait+time.Second), int(time.Second/2)))):
	}
	err = verb.Close()
	if err = errors.Join(err, <-opened, s.close()); err != nil {
		t.Error(err)
	}
}

// TestMemexWaitsForARestart: a file that names another memex changes nothing in a running daemon,
// and status says what it waits for.
func TestMemexWaitsForARestart(t *testing.T) {
	s := newServed(t)
	file := filepath.Join(filepath.Dir(s.state), "config", "fovea", "config.toml")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	write := func(memex string) {
		if err := os.WriteFile(file, []byte("memex = \""+memex+"\"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(s.memex)
	c := process(t, s.state, "serve")
	c.Env = append(c.Env, "XDG_RUNTIME_DIR="+s.runtime)
	said, err := c.StderrPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(said)
	for begun := false; lines.Scan(); {
		if strings.Contains(lines.Text(), "fovea serve --stop") {
			break // standard error says it
		}
		if !begun {
			begun = true
			write(s.runtime)
		}
	}
	if got := strings.Join(strings.Fields(s.run("status")), " "); !strings.Contains(got, "takes effect at the next start") {
		t.Errorf("status %s", got)
	}
	s.run("serve", "--stop")
	_ = c.Wait()
}

// TestWindowsWithAndWithoutADaemon: what the environment and the configuration of a caller say of
// windows holds with a daemon too, which had others when it started, or the setting is named.
func TestWindowsWithAndWithoutADaemon(t *testing.T) {
	s := newConfigured(t, "")
	ask := func(env []string, words ...string) (string, string) {
		c := s.command(append([]string{"context", "--focus", "door", "--json", "--fresh"}, words...)...)
		c.Env = append(c.Env, env...)
		var said strings.Builder
		c.Stderr = &said
		out, err := c.Output()
		if err != nil {
			t.Fatalf("%q: %v %s", env, err, said.String())
		}
		return string(out), said.String()
	}
	of := reflect.TypeFor[config.Config]()
	rows := map[string]string{
		"skills_dir": `skills_dir = "craft"`, "opaque": `opaque = ["a.txt"]`, "owner_names": `owner_names = ["ada"]`, "projects": "[projects]\nboat = [\"boat/\"]",
		"guard": "[guard]\nlockdown = [\"x.org\"]",
		"trust": "[trust]\nagents = [\"ada\"]", "embed": "[embed]\nkind = \"ollama\"\nurl = \"http://127.0.0.1:1\"\nmodel = \"m\"",
		"rerank": "[rerank]\nurl = \"http://127.0.0.1:1\"\nmodel = \"m\"", "summary": "[summary]\nurl = \"http://127.0.0.1:1/v1\"\nmodel = \"m\"",
		"record": "[record]\nwindows = false", "org": "[org]\ntodo = \"OPEN | SHUT\"", "semantic_threshold": "semantic_threshold = 0.01",
		"budget": "budget = 60\nsumary = 1", // the unknown key beside it changes nothing
		"grants": "[grants.ada]\npaths = [\"x.org\"]", "review": `review = ["x.org"]`,
	}
	apart := map[string]bool{"memex": true, "server_memory_file": true, "ipfs": true,
		"emacs_locations": true, "log_limit": true, "alerts": true, "trusted_keys": true,
		"seal_for": true, "history_warn_mb": true, "writes_per_minute": true, "sync": true,
		"color": true, "pager": true} // no window depends on them
	s.write(filepath.Join(s.memex, "more.org"), strings.Repeat("* Another door\nIt is green and it squeaks.\n", 12))
	for field := range of.Fields() {
		key := field.Tag.Get("key")
		if key == "" || apart[key] {
			continue
		}
		if rows[key] == "" {
			t.Errorf("%s: no row says how it reaches windows of a daemon", key)
			continue
		}
		home := filepath.Join(t.TempDir(), "config")
		if err := os.MkdirAll(filepath.Join(home, "fovea"), 0o700); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(home, "fovea", "config.toml")
		s.write(file, rows[key]+"\n")
		old := time.Now().Add(-time.Hour)
		if err := os.Chtimes(file, old, old); err != nil {
			t.Fatal(err)
		}
		through, said := ask([]string{"XDG_CONFIG_HOME=" + home})
		carried := key == "budget" || key == "semantic_threshold" || key == "log_limit"
		if named := strings.Contains(said, key); named == carried {
			t.Errorf("%s: named %v: %s", key, named, said)
		}
		if key == "budget" && !strings.Contains(through, `"budget":60`) {
			t.Errorf("budget: %s", through)
		}
	}
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(s.file, old, old); err != nil {
		t.Fatal(err)
	}
	through, _ := ask([]string{"CONTEXT_SEMANTIC_THRESHOLD=0.01"}, "--policy", "foveal", "--budget", "260")
	if _, said := ask([]string{"SKILLS_DIR=craft"}); !strings.Contains(said, "skills_dir") {
		t.Errorf("SKILLS_DIR: %s", said)
	}
	s.run("serve", "--stop")
	if alone, _ := ask([]string{"CONTEXT_SEMANTIC_THRESHOLD=0.01"}, "--policy", "foveal", "--budget", "260", "--no-daemon"); alone != through {
		t.Errorf("(-daemon +alone):\n%s", cmp.Diff(through, alone))
	}
}

// TestLogLimitOfTheCaller: how many lines of the log a caller sees is what its own environment says,
// with a daemon too, unless the request says it.
func TestLogLimitOfTheCaller(t *testing.T) {
	s := newConfigured(t, "")
	for range 4 {
		s.run("show", "door", "--agent", "ada")
	}
	for _, tc := range []struct {
		env, flag string
		want      int
	}{
		{"CONTEXT_LOG_LIMIT=2", "", 2},
		{"CONTEXT_LOG_LIMIT=2", "--limit=3", 3},
		{"CONTEXT_LOG_LIMIT=", "", 4},
	} {
		c := s.command("logs", "--agent", "ada", "--quiet")
		if tc.flag != "" {
			c.Args = append(c.Args, tc.flag)
		}
		c.Env = append(c.Env, tc.env)
		var said strings.Builder
		c.Stderr = &said
		out, err := c.Output()
		if lines := strings.Count(string(out), "\n"); err != nil || said.Len() > 0 || min(lines, 4) != tc.want {
			t.Errorf("%s %s: %d lines, want %d, %v %s", tc.env, tc.flag, lines, tc.want, err, said.String())
		}
	}
}
