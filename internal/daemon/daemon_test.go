// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package daemon_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/embed"
	"github.com/fovea-memory/fovea/internal/config"
	"github.com/fovea-memory/fovea/internal/daemon"
	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/internal/httpapi"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// house is a memex that a daemon of this process serves.
type house struct {
	t      *testing.T
	memex  string
	config config.Config
	store  vfs.FS // of the memory, nil for its folder
	// embedder connects to what makes vectors, nil for nothing.
	embedder func(context.Context) (embed.Embedder, error)

	url    string
	warned []string // what the daemon told a caller beside its answers
	far    *httpapi.Client
	stop   func() error    // ends the daemon and returns what it said
	over   <-chan struct{} // closed when it has ended
}

// serve makes a memex and starts a daemon of it; change may be nil.
func serve(t *testing.T, change func(*daemon.Options), files ...string) *house {
	t.Helper()
	h := build(t, files...)
	h.start(change)
	return h
}

// build makes a memex that nobody serves yet.
func build(t *testing.T, files ...string) *house {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "HOME"} {
		t.Setenv(name, filepath.Join(dir, "user"))
	}
	h := &house{t: t, memex: filepath.Join(dir, "memex"), config: config.Config{Memex: filepath.Join(dir, "memex"), StateDir: filepath.Join(dir, "state")}}
	for _, name := range files {
		h.write(name, "* "+name+"\n")
	}
	h.check(os.MkdirAll(h.memex, 0o755))
	return h
}

// start starts a daemon, and ends it with the test if nobody has before.
func (h *house) start(change func(*daemon.Options)) {
	t := h.t
	t.Helper()
	feed := &api.Feed{}
	m, err := fovea.Open(t.Context(), h.memex, &fovea.Options{StateDir: h.config.StateDir, Store: h.store,
		Committed: feed.Committed, Embedder: h.embedder, Buffers: &feed.Buffers})
	h.check(err)
	ring, calls := &daemon.Ring{}, &daemon.Ring{}
	h.check(ring.Open(filepath.Join(h.config.StateDir, "serve.log")))
	h.check(calls.Open(filepath.Join(h.config.StateDir, "calls.log")))
	listening := make(chan string, 1)
	opts := &daemon.Options{
		Memory: m, Config: h.config, Feed: feed, HTTP: true, Version: "test", Lines: ring, Calls: calls, Log: slog.New(slog.NewTextHandler(ring, nil)),
		Listening: func(_, url string) { listening <- url },
	}
	if change != nil {
		change(opts)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	over := make(chan struct{})
	h.over = over
	go func() {
		ended <- daemon.Serve(ctx, opts)
		close(over)
	}()
	select {
	case h.url = <-listening:
	case err := <-ended:
		t.Fatal(err)
	}
	h.far, err = daemon.Connect(t.Context(), &h.config, &httpapi.ClientOptions{Warn: func(err error) { h.warned = append(h.warned, err.Error()) }})
	h.check(err)
	far := h.far
	var said error
	var stopped bool
	h.stop = func() error {
		if !stopped {
			stopped = true
			far.Close()
			cancel()
			said = errors.Join(<-ended, m.Close(), ring.Close(), calls.Close())
			far, m, ring, calls = nil, nil, nil, nil // the test may go on for long
		}
		return said
	}
	stop := h.stop
	t.Cleanup(func() { h.check(stop()) })
}

func (h *house) check(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}

func (h *house) write(name, text string) {
	h.t.Helper()
	name = filepath.Join(h.memex, name)
	h.check(os.MkdirAll(filepath.Dir(name), 0o755))
	h.check(os.WriteFile(name+".new", []byte(text), 0o644))
	h.check(os.Rename(name+".new", name)) // no scan finds it empty
}

// titles lists the headlines that the daemon knows.
func (h *house) titles() []string {
	h.t.Helper()
	list, err := api.OpQuery.Call(h.t.Context(), h.far.Service, api.QueryRequest{Query: "level:1"})
	h.check(err)
	titles := []string{}
	for _, n := range list {
		titles = append(titles, n.Title)
	}
	return titles
}

// TestAnswersKnowWhatWasSaved: whoever saves and asks at once is told what was
// saved, and each save is one commit by file.
func TestAnswersKnowWhatWasSaved(t *testing.T) {
	h := serve(t, nil, "a.org")
	_ = h.titles()
	for i := range 50 {
		title := fmt.Sprint("Save ", i)
		h.write("a.org", "* "+title+"\n")
		if got := h.titles(); !cmp.Equal(got, []string{title}) {
			t.Fatalf("after save %d the daemon knows %q", i, got)
		}
	}
	log, err := api.OpLog.Call(t.Context(), h.far.Service, api.LogRequest{})
	h.check(err)
	for _, c := range log {
		if c.Author != "file" || len(log) != 51 {
			t.Fatalf("%d commits, one by %s; want 51 by file", len(log), c.Author)
		}
	}
	// What the daemon writes itself is no save.
	_, err = api.OpRemember.Call(t.Context(), h.far.Service, api.RememberRequest{Title: "Note"})
	h.check(err)
	_ = h.titles()
	if log, err = api.OpLog.Call(t.Context(), h.far.Service, api.LogRequest{}); err != nil || len(log) != 52 || log[0].Author != "owner" {
		t.Errorf("%d commits, the newest by %s, %v", len(log), log[0].Author, err)
	}
}

// TestAStormIsOneBatch: many files at once are one operation, found without being
// asked for.
func TestAStormIsOneBatch(t *testing.T) {
	h := serve(t, nil)
	_ = h.titles()
	told := make(chan api.Commit, 100)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	go func() {
		_ = h.far.Events(ctx, 0, func(kind string, data []byte) error { // until the test ends
			if kind != "commit" {
				return nil
			}
			var c api.Commit
			err := json.Unmarshal(data, &c)
			told <- c
			return err
		})
	}()
	const files = 300
	outside := t.TempDir()
	for i := range files {
		h.check(os.MkdirAll(filepath.Join(outside, fmt.Sprint(i%7)), 0o755))
		h.check(os.WriteFile(filepath.Join(outside, fmt.Sprintf("%d/%d.org", i%7, i)), fmt.Appendf(nil, "* H%d\n", i), 0o644))
	}
	h.check(os.Rename(outside, filepath.Join(h.memex, "tree")))
	ops := map[string]bool{}
	for documents := 0; documents < files; {
		c := <-told
		ops[c.Op] = true
		documents = c.Documents
	}
	if len(ops) != 1 {
		t.Errorf("%d operations, want one", len(ops))
	}
}

// TestWhoComesIn: over TCP only with a token, from this machine; over the socket
// the user; and a token says who it is.
func TestWhoComesIn(t *testing.T) {
	h := serve(t, func(o *daemon.Options) {
		o.Config.Grants = map[string]config.Grant{"ada": {Paths: []string{"a.org"}}}
	}, "a.org", "b.org")
	tokens, err := config.ReadTokens()
	h.check(err)
	ada, err := tokens.Add(config.Token{Name: "ada", Agent: "ada", Role: "agent", Made: time.Now()})
	h.check(err)
	person, err := foveatest.Address[daemon.Address](h.config.StateDir)
	h.check(err)
	if info, err := os.Stat(filepath.Join(h.config.StateDir, "http.json")); err != nil || info.Mode().Perm() != 0o600 || person.URL != h.url {
		t.Errorf("the address: %v, %v, %s", info.Mode(), err, person.URL)
	}
	ask := func(token, role, host, origin, body string) (int, string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), "POST", h.url+"/v1/edit", strings.NewReader(body))
		h.check(err)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set(api.HeaderAgent, "somebody-else")
		r.Header.Set(api.HeaderRole, role)
		for name, value := range map[string]string{"Authorization": "Bearer " + token, "Origin": origin} {
			if strings.TrimPrefix(value, "Bearer ") != "" {
				r.Header.Set(name, value)
			}
		}
		if host != "" {
			r.Host = host
		}
		a, err := http.DefaultTransport.RoundTrip(r)
		h.check(err)
		defer a.Body.Close()
		text, err := io.ReadAll(a.Body)
		h.check(err)
		return a.StatusCode, string(text)
	}
	const a, b = `{"id":"a.org","tag":["x"]}`, `{"id":"b.org","tag":["x"]}`
	for _, tc := range []struct {
		name, token, role, host, origin, body string
		want                                  int
	}{
		{"no token", "", "", "", "", a, 401},
		{"wrong token", ada + "x", "", "", "", a, 401},
		{"foreign host", ada, "", "evil.example", "", a, 403},
		{"this host by another port", ada, "", "127.0.0.1:1", "", a, 403},
		{"foreign page", ada, "", "", "https://evil.example", a, 403},
		{"own page", ada, "", "", h.url, `{"id":"nothing"}`, 404},
		{"granted", ada, "", "", "", `{"id":"a.org:1","tag":["x"]}`, 200},
		{"not granted", ada, "owner", "", "", `{"id":"b.org:1","tag":["x"]}`, 403},
		{"an agent by the person's token", person.Token, "", "", "", `{"id":"b.org:1","tag":["y"]}`, 403},
		{"the person in an agent's name", person.Token, "owner", "", "", `{"id":"b.org:1","tag":["y"]}`, 200},
	} {
		if got, text := ask(tc.token, tc.role, tc.host, tc.origin, tc.body); got != tc.want {
			t.Errorf("%s: %d %s, want %d", tc.name, got, text, tc.want)
		}
	}
	log, err := api.OpLog.Call(t.Context(), h.far.Service, api.LogRequest{Limit: 2})
	if err != nil || log[1].Author != "ada" || log[1].VouchedBy != "token" || log[0].Author != "somebody-else" || log[0].VouchedBy != "asserted" {
		t.Errorf("by %+v, %v", log, err)
	}
	h.check(tokens.Remove("ada"))
	if got, _ := ask(ada, "", "", "", a); got != 401 {
		t.Errorf("a token that was taken away: %d", got)
	}
	held, err := daemon.Connect(t.Context(), &h.config, &httpapi.ClientOptions{Agent: "bob", Role: api.Agent})
	h.check(err)
	if _, err := api.OpEdit.Call(t.Context(), held.Service, api.EditRequest{ID: "b.org:1", Tag: []string{"z"}}); fovea.KindOf(err) != fovea.Denied {
		t.Errorf("an agent over the socket: %v", err)
	}
	mine, err := h.far.Hello(t.Context())
	h.check(err)
	if theirs, err := held.Hello(t.Context()); err != nil || theirs.Settings != nil || len(mine.Settings) == 0 {
		t.Errorf("digests of settings: an agent is given %d, the owner %d, %v", len(theirs.Settings), len(mine.Settings), err)
	}
	held.Close()
}

// TestASlowClientHarmsNobody: who sends half a request, and who sends too much, is
// left alone, and others are answered.
func TestASlowClientHarmsNobody(t *testing.T) {
	h := serve(t, nil, "a.org")
	socket, err := h.config.Socket()
	h.check(err)
	for range 50 {
		c, err := net.Dial("unix", socket)
		h.check(err)
		defer c.Close()
		_, err = io.WriteString(c, "POST /v1/query HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{")
		h.check(err)
	}
	large := &http.Client{Transport: &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { return net.Dial("unix", socket) }}}
	a, err := large.Post("http://fovea/v1/remember", "application/json", io.LimitReader(zeros{}, 1<<30))
	if err == nil {
		defer a.Body.Close()
		if a.StatusCode != http.StatusRequestEntityTooLarge {
			t.Errorf("a body of 1 GB: %s", a.Status)
		}
	} // else the connection was closed while it sent
	if got := h.titles(); !cmp.Equal(got, []string{"a.org"}) {
		t.Errorf("others are answered %q", got)
	}
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { return copy(b, bytes.Repeat([]byte{' '}, len(b))), nil }

// TestOneComesAndGoes: while it serves it is found, after it stopped not even its
// socket, and streams end with it.
func TestOneComesAndGoes(t *testing.T) {
	h := serve(t, nil, "a.org")
	hello, err := h.far.Hello(t.Context())
	if err != nil || hello.Memex != h.memex || hello.Version != "test" || hello.PID != os.Getpid() {
		t.Errorf("%+v, %v", hello, err)
	}
	streams := make(chan error)
	go func() { streams <- h.far.Events(context.Background(), 0, func(string, []byte) error { return nil }) }()
	_ = h.titles()
	h.check(h.stop())
	if err := <-streams; err == nil {
		t.Error("a stream ended without an error")
	}
	if _, err := daemon.Connect(t.Context(), &h.config, nil); !errors.Is(err, daemon.ErrNone) {
		t.Errorf("after it stopped: %v", err)
	}
	for _, name := range []string{"http.json", "socket"} {
		if _, err := os.Stat(filepath.Join(h.config.StateDir, name)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is still there: %v", name, err)
		}
	}
}

// TestNobodyIsThere: without a client the daemon ends by itself.
func TestNobodyIsThere(t *testing.T) {
	h := serve(t, func(o *daemon.Options) { o.Idle = 2 * time.Second }, "a.org") // the time that a slow machine has to connect
	h.far.Close()
	<-h.over
	if far, err := daemon.Connect(t.Context(), &h.config, nil); !errors.Is(err, daemon.ErrNone) {
		t.Errorf("connected to %v, %v", far, err)
	}
}

// TestTheFolderIsAnother: a memex that is taken away is not taken for empty.
func TestTheFolderIsAnother(t *testing.T) {
	h := serve(t, nil, "a.org")
	_ = h.titles()
	h.check(os.Rename(h.memex, h.memex+"2"))
	h.check(os.Mkdir(h.memex, 0o755))
	_, err := api.OpStatus.Call(t.Context(), h.far.Service, api.StatusRequest{})
	seq := func() uint64 {
		hello, err := h.far.Hello(t.Context())
		h.check(err)
		return hello.Seq
	}
	if seq() != 1 {
		t.Errorf("something was committed; status said %v", err)
	}
	h.check(os.Remove(h.memex))
	h.check(os.Rename(h.memex+"2", h.memex))
	if got := h.titles(); !cmp.Equal(got, []string{"a.org"}) || seq() != 1 {
		t.Errorf("back again: %q", got)
	}
}

// TestASocketOfOthers: a folder that others can enter is not used.
func TestASocketOfOthers(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_RUNTIME_DIR", dir)
	c := config.Config{Memex: t.TempDir(), StateDir: filepath.Join(dir, "state")}
	socket, err := c.Socket()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(socket), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Dir(socket), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(socket, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := daemon.Connect(t.Context(), &c, nil); err == nil || errors.Is(err, daemon.ErrNone) {
		t.Errorf("connected through it: %v", err)
	}
}

// TestRingBeforeItsFile: what was written before the file was opened follows what the file has, in
// memory and there.
func TestRingBeforeItsFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(name, []byte("old\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var r daemon.Ring
	fmt.Fprintln(&r, "early")
	if err := r.Open(name); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(&r, "late")
	want := []string{"old", "early", "late"}
	if got := daemon.ReadRing(name); !cmp.Equal(r.Lines(), want) || !cmp.Equal(got, want) {
		t.Errorf("%q in memory, %q in the file", r.Lines(), got)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestRing: the newest thousand lines stay, also for the next daemon.
func TestRing(t *testing.T) {
	name := filepath.Join(t.TempDir(), "log")
	var want []string
	for run := range 3 {
		r := &daemon.Ring{}
		if err := r.Open(name); err != nil {
			t.Fatal(err)
		}
		if got := r.Lines(); len(want) > 0 && !cmp.Equal(got, want[max(0, len(want)-1000):]) {
			t.Errorf("run %d begins with %d lines", run, len(got))
		}
		for i := range 1300 {
			line := fmt.Sprintf("run %d line %d", run, i)
			want = append(want, line)
			if _, err := io.WriteString(r, line+"\n"); err != nil {
				t.Fatal(err)
			}
		}
		if got := r.Lines(); !cmp.Equal(got, want[len(want)-1000:]) {
			t.Errorf("run %d keeps %d lines", run, len(got))
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(name)
	if n := bytes.Count(text, []byte("\n")); err != nil || n > 2000 {
		t.Errorf("the file has %d lines, %v", n, err)
	}
}

// TestUnitQuotesItsPaths: as systemd reads them, whatever is in them.
func TestUnitQuotesItsPaths(t *testing.T) {
	got := daemon.Unit("/opt/a b/fovea", "/home/x/50% \"$notes\"\n[Service]")
	if strings.Count(got, "[Service]") != 1+2 || strings.Count(got, "\n[Service]\n") != 1 {
		t.Errorf("a path made a section of its own:\n%s", got)
	}
	want := `ExecStart="/opt/a b/fovea" serve --memex "/home/x/50%% \"$$notes\"\n[Service]"`
	if !strings.Contains(got, want+"\n") {
		t.Errorf("want the line\n%s\nin\n%s", want, got)
	}
}

// TestTheLateOneEnds: a daemon that was started beside one that serves is gone when
// Start returns, however slowly it began.
func TestTheLateOneEnds(t *testing.T) {
	h := serve(t, nil)
	name := filepath.Join(t.TempDir(), "pid")
	far, err := daemon.Start(t.Context(), &h.config, nil, "sh", "-c", "echo $$ >"+name+"; exec sleep 1000")
	h.check(err)
	defer far.Close()
	text, _ := os.ReadFile(name) // none if it ended before it began
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return
	}
	p, err := os.FindProcess(pid)
	h.check(err)
	if err := p.Signal(syscall.Signal(0)); !errors.Is(err, os.ErrProcessDone) {
		t.Errorf("process %d is there: %v", pid, err)
	}
}

// TestCredentialsCountOverTheSocket: who shows a token there is its agent, however it is
// written, and who shows what is none is not taken for the person.
func TestCredentialsCountOverTheSocket(t *testing.T) {
	h := serve(t, nil, "a.org")
	tokens, err := config.ReadTokens()
	h.check(err)
	ada, err := tokens.Add(config.Token{Name: "ada", Agent: "ada", Role: "agent"})
	h.check(err)
	socket, err := h.config.Socket()
	h.check(err)
	way := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", socket)
	}}
	defer way.CloseIdleConnections()
	for _, tc := range []struct {
		name          string
		authorization []string
		want          int
	}{
		{"none", nil, 200},
		{"a token", []string{"Bearer " + ada}, 403},
		{"a token, its scheme in lower case", []string{"bearer " + ada}, 403},
		{"a token of nobody", []string{"Bearer x"}, 401},
		{"another scheme", []string{"Basic " + ada}, 401},
		{"an empty one", []string{""}, 401},
		{"an empty one before a token", []string{"", "Bearer " + ada}, 401},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r, err := http.NewRequestWithContext(t.Context(), "POST", "http://fovea/v1/edit", strings.NewReader(`{"id":"a.org:1","tag":["x"]}`))
			h.check(err)
			r.Header["Authorization"] = tc.authorization
			r.Header.Set("Content-Type", "application/json")
			a, err := way.RoundTrip(r)
			h.check(err)
			defer a.Body.Close()
			if a.StatusCode != tc.want {
				t.Errorf("%d, want %d", a.StatusCode, tc.want)
			}
		})
	}
}

// TestAnotherEnvironment: who would look for the socket elsewhere finds it.
func TestAnotherEnvironment(t *testing.T) {
	h := serve(t, nil, "a.org")
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	far, err := daemon.Connect(t.Context(), &h.config, nil)
	h.check(err)
	far.Close()
	h.check(h.stop())
	if _, err := daemon.Connect(t.Context(), &h.config, nil); !errors.Is(err, daemon.ErrNone) {
		t.Errorf("after the end: %v", err)
	}
}

// TestTokensBind: a token is for the scopes and paths that it names.
func TestTokensBind(t *testing.T) {
	h := serve(t, nil, "a.org")
	tokens, err := config.ReadTokens()
	h.check(err)
	secret, err := tokens.Add(config.Token{Name: "ada", Agent: "ada", Role: "agent", Scopes: []string{"project/river", "session/s1"}, Paths: []string{"a.org"}})
	h.check(err)
	for _, tc := range []struct {
		project, session string
		want             fovea.Kind
	}{
		{"", "", fovea.Other},
		{"", "s1", fovea.Other},
		{"", "s2", fovea.Denied},
		{"river", "", fovea.NotFound}, // it may, but there is none
		{"sea", "", fovea.Denied},
		{"sea", "s1", fovea.Denied},
	} {
		c := httpapi.HTTP(h.url, &httpapi.ClientOptions{Token: secret, Project: tc.project, Session: tc.session})
		if _, err := api.OpQuery.Call(t.Context(), c.Service, api.QueryRequest{}); fovea.KindOf(err) != tc.want {
			t.Errorf("%+v: %v", tc, err)
		}
		if tc.want == fovea.Other {
			if _, err := api.OpEdit.Call(t.Context(), c.Service, api.EditRequest{ID: "a.org:1", Tag: []string{"x" + tc.project + tc.session}}); err != nil {
				t.Errorf("%+v: %v", tc, err)
			}
		}
		c.Close()
	}
}

// TestMovedBack: a file of ours that comes back to its name, after somebody else's was
// read there, is read.
func TestMovedBack(t *testing.T) {
	h := serve(t, nil, "a.org")
	_ = h.titles()
	_, err := api.OpRemember.Call(t.Context(), h.far.Service, api.RememberRequest{Under: "a.org", Title: "Ours"})
	h.check(err)
	_ = h.titles()
	at := filepath.Join(h.memex, "a.org")
	h.check(os.Rename(at, at+"~")) // as Emacs saves, with its backup
	h.write("a.org", "* Theirs\n")
	_ = h.titles()
	h.check(os.Rename(at+"~", at)) // and the person takes the backup back
	if got := h.titles(); len(got) != 2 {
		t.Errorf("the daemon knows %q, the file has a.org and Ours", got)
	}
}
