// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

//go:build linux

package bench

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/internal/httpapi"
)

var served = flag.Duration("served", 5*time.Second, "BenchmarkServed: 64 clients for so long, without a pause and with one")

// BenchmarkServed prints what a daemon takes: writes, searches and contexts over HTTP and MCP
// at two sizes, many clients at once and with a pace, many files at once, its start, and
// its memory.
func BenchmarkServed(b *testing.B) {
	for b.Loop() {
		measureServed(b)
	}
}

func measureServed(t testing.TB) {
	load, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("load %s", load)
	for _, full := range []int{900, 4500} {
		files := foveatest.Size(full, full/45)
		m := generate(t, files)
		writeFloor(t, t.TempDir())
		d := m.serve()
		size := fmt.Sprintf("%d nodes", files*11)
		t.Logf("%s: resident when idle %.0f MiB", size, d.resident())
		d.overHTTP(size)
		fovea := d.overMCP(size)
		fovea.measure(size+", MCP", "context", calls(), func(i int) any {
			return map[string]any{"focus": fmt.Sprintf("node-%07d", i*7), "budget": 2000}
		})
		if full == 900 {
			length := min(*served, time.Duration(foveatest.Size(3600, 1))*time.Second)
			d.crowd(length, 0)
			d.crowd(length, 200*time.Millisecond)
			d.storm()
		}
		d.stop()
	}
	starts(t)
}

// starts prints how long daemons of 100,100 nodes take to their first answer: one that
// must read its files, because they were written so shortly before they were first read
// that their times prove nothing, and one that need not.
func starts(t testing.TB) {
	files := foveatest.Size(9100, 50)
	m := generate(t, files)
	m.serve().stop()
	for _, when := range []string{"files just written", "nothing changed"} {
		begun := time.Now()
		d := m.serve()
		first, before := time.Since(begun), d.processor()
		if _, err := api.OpStatus.Call(t.Context(), d.far.Service, api.StatusRequest{}); err != nil {
			t.Fatal(err)
		}
		t.Logf("%d nodes, %s: start to first answer %.0f ms, %.0f of the processors; the first status, which parses all documents, %.0f of them",
			files*11, when, ms(first), before, d.processor()-before)
		d.stop()
	}
}

// server is a daemon in a process of its own.
type server struct {
	m   *memex
	c   *exec.Cmd
	far *httpapi.Client
}

func (m *memex) daemonEnv() []string {
	return append(m.env(), "XDG_RUNTIME_DIR="+filepath.Join(m.home, "run"))
}

// serve starts a daemon that has read the folder when it answers.
func (m *memex) serve() *server {
	m.tb.Helper()
	c := exec.CommandContext(m.tb.Context(), m.program, "serve", "--http", "--memex", m.dir)
	c.Env = m.daemonEnv()
	said, err := c.StderrPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		m.tb.Fatal(err)
	}
	lines := bufio.NewScanner(said)
	var last string
	for !strings.Contains(last, "serving ") && lines.Scan() {
		last = lines.Text()
	}
	go func() { _, _ = io.Copy(io.Discard, said) }()
	states, _ := filepath.Glob(filepath.Join(m.state, "fovea", "*", "http.json"))
	if len(states) != 1 {
		m.tb.Fatalf("no address of the daemon, which says %q", last)
	}
	var at struct{ URL, Token string }
	text, err := os.ReadFile(states[0])
	if err == nil {
		err = json.Unmarshal(text, &at)
	}
	if err != nil {
		m.tb.Fatal(err)
	}
	s := &server{m, c, httpapi.HTTP(at.URL, &httpapi.ClientOptions{Token: at.Token, Agent: "ada", Role: api.Agent})}
	if _, err := api.OpSearch.Call(m.tb.Context(), s.far.Service, api.SearchRequest{Text: "cat", Limit: 10}); err != nil {
		m.tb.Fatal(err)
	}
	return s
}

func (s *server) stop() {
	s.m.tb.Helper()
	s.far.Close()
	_ = s.c.Process.Signal(os.Interrupt)
	if err := s.c.Wait(); err != nil {
		s.m.tb.Error(err)
	}
}

// resident returns MiB of memory in use.
func (s *server) resident() float64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.c.Process.Pid))
	if err != nil {
		s.m.tb.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "VmRSS:")
	kib, _ := strconv.ParseFloat(strings.Fields(rest)[0], 64)
	return kib / 1024
}

// processor returns the milliseconds of processor time that the daemon has taken.
func (s *server) processor() float64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.c.Process.Pid))
	if err != nil {
		s.m.tb.Fatal(err)
	}
	const tick = 10 // ms, of the two fields behind the 11 that follow the name
	_, rest, _ := strings.Cut(string(text), ") ")
	fields := strings.Fields(rest)
	user, _ := strconv.ParseFloat(fields[11], 64)
	system, _ := strconv.ParseFloat(fields[12], 64)
	return (user + system) * tick
}

// times prints the middle and the end of what calls took.
func times(tb testing.TB, what string, n int, call func(i int) error) {
	tb.Helper()
	took := make([]time.Duration, n)
	for i := range took {
		begun := time.Now()
		if err := call(i); err != nil {
			tb.Fatalf("%s: %v", what, err)
		}
		took[i] = time.Since(begun)
	}
	slices.Sort(took)
	tb.Logf("%s: p50 %.2f ms, p95 %.2f ms", what, ms(took[n/2]), ms(took[n*95/100]))
}

// calls is how often each operation is asked for.
func calls() int { return foveatest.Size(200, 20) }

func (s *server) overHTTP(size string) {
	t, ctx := s.m.tb, s.m.tb.Context()
	times(t, size+", HTTP, remember", calls(), func(i int) error {
		_, err := api.OpRemember.Call(ctx, s.far.Service, api.RememberRequest{Title: fmt.Sprint("Note over HTTP ", i), Body: fmt.Sprint("What ", i, " says.")})
		return err
	})
	times(t, size+", HTTP, search", calls(), func(i int) error {
		_, err := api.OpSearch.Call(ctx, s.far.Service, api.SearchRequest{Text: fmt.Sprintf("cat-%02d", i%50), Limit: 10})
		return err
	})
	times(t, size+", HTTP, context", calls(), func(i int) error {
		_, err := api.OpContext.Call(ctx, s.far.Service, api.ContextRequest{Focus: fmt.Sprintf("node-%07d", i*7), Budget: 2000})
		return err
	})
}

// storm writes 2,000 files, fewer with -short, and asks at once for what they say.
func (s *server) storm() {
	t := s.m.tb
	files := foveatest.Size(2000, 50)
	for i := range files {
		if err := os.WriteFile(filepath.Join(s.m.dir, fmt.Sprintf("late%04d.org", i)), []byte("* Qzyx\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	begun := time.Now()
	list, err := api.OpQuery.Call(t.Context(), s.far.Service, api.QueryRequest{Query: "type:headline heading:Qzyx"})
	if err != nil || len(list) != files {
		t.Fatalf("%d of %d files, %v", len(list), files, err)
	}
	t.Logf("%d files at once: consistent %.0f ms after the last was written", files, ms(time.Since(begun)))
}

// spoken is a program that speaks MCP on its standard input and output.
type spoken struct {
	t   testing.TB
	in  io.Writer
	out *bufio.Reader
	id  int
}

func speak(t testing.TB, env []string, name string, arg ...string) *spoken {
	t.Helper()
	c := exec.CommandContext(t.Context(), name, arg...)
	c.Env = env
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = in.Close(); _ = c.Wait() })
	s := &spoken{t: t, in: in, out: bufio.NewReader(out)}
	info := map[string]any{"name": "bench", "version": "1"}
	s.ask("initialize", map[string]any{"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "clientInfo": info})
	if _, err := io.WriteString(in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"); err != nil {
		t.Fatal(err)
	}
	return s
}

// ask returns when the answer has come; a refusal ends the test.
func (s *spoken) ask(method string, params any) {
	s.t.Helper()
	if answer := s.answer(method, params); strings.Contains(answer, `"isError":true`) || strings.Contains(answer, `"error":`) {
		s.t.Fatalf("%s %v: %s", method, params, answer)
	}
}

// answer returns the line with the answer.
func (s *spoken) answer(method string, params any) string {
	s.t.Helper()
	s.id++
	text, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": s.id, "method": method, "params": params})
	if err != nil {
		s.t.Fatal(err)
	}
	if _, err := s.in.Write(append(text, '\n')); err != nil {
		s.t.Fatal(err)
	}
	answer, err := s.out.ReadString('\n')
	if err != nil {
		s.t.Fatalf("%s: %s, %v", text, answer, err)
	}
	return answer
}

func (s *spoken) measure(where, tool string, n int, args func(i int) any) {
	s.t.Helper()
	times(s.t, where+", "+tool, n, func(i int) error {
		s.ask("tools/call", map[string]any{"name": tool, "arguments": args(i)})
		return nil
	})
}
