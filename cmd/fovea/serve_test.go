// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// served is a memex with a daemon in a process of its own.
type served struct {
	t            *testing.T
	memex, state string
	runtime      string
}

func newServed(t *testing.T) *served {
	t.Helper()
	dir := t.TempDir()
	s := &served{t: t, memex: filepath.Join(dir, "memex"), state: filepath.Join(dir, "state"), runtime: filepath.Join(dir, "run")}
	for _, folder := range []string{s.memex, s.runtime} {
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		stopped(t, s.state, func() *exec.Cmd {
			stop := s.command("serve", "--stop")
			c := exec.Command(stop.Path, stop.Args[1:]...) // the test's context has ended
			c.Env = stop.Env
			return c
		})
	})
	return s
}

// stopped runs a command that stops a daemon, again and again until no process is left whose
// environment names a folder: a late daemon would write into it while the test removes it.
func stopped(t testing.TB, folder string, stop func() *exec.Cmd) {
	var left []string
	for end := time.Now().Add(time.Minute); time.Now().Before(end); pause(context.Background(), 20*time.Millisecond) {
		_ = stop().Run() // there may be none
		if left = running(folder); len(left) == 0 {
			return
		}
	}
	t.Errorf("still running: %q", left)
}

func (s *served) command(words ...string) *exec.Cmd {
	c := process(s.t, s.state, append(words, "--memex", s.memex)...)
	c.Env = append(c.Env, "XDG_RUNTIME_DIR="+s.runtime)
	return c
}

// run is a verb that must end well; it returns what it printed.
func (s *served) run(words ...string) string {
	s.t.Helper()
	c := s.command(words...)
	var said bytes.Buffer
	c.Stderr = &said
	out, err := c.Output()
	if err != nil {
		s.t.Fatalf("%q: %v\n%s", words, err, said.Bytes())
	}
	return string(out)
}

// serve starts a daemon and returns when it says that it serves.
func (s *served) serve() *exec.Cmd {
	s.t.Helper()
	c := s.command("serve")
	said, err := c.StderrPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		s.t.Fatal(err)
	}
	lines := bufio.NewScanner(said)
	for lines.Scan() {
		if strings.Contains(lines.Text(), "serving ") {
			go func() { _, _ = io.Copy(io.Discard, said) }()
			return c
		}
	}
	s.t.Fatalf("the daemon does not serve: %v", c.Wait())
	return nil
}

// TestVerbsAskTheDaemon: verbs of other processes share its memory, also while it
// holds the store, and see a save at once.
func TestVerbsAskTheDaemon(t *testing.T) {
	s := newServed(t)
	c := s.serve()
	s.run("remember", "First", "--agent", "ada")
	if got := s.run("query", "First", "--json"); !strings.Contains(got, `"title":"First"`) {
		t.Errorf("query says %s", got)
	}
	if err := os.WriteFile(filepath.Join(s.memex, "b.org"), []byte("* Saved\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := s.run("ingest"); !strings.Contains(got, "2 documents") {
		t.Errorf("ingest says %s", got)
	}
	if got := s.run("log", "--json"); !strings.Contains(got, `"author":"ada"`) || !strings.Contains(got, `"author":"file"`) {
		t.Errorf("log says %s", got)
	}
	bad := s.command("query", "todo:(")
	var said bytes.Buffer
	bad.Stderr = &said
	if err := bad.Run(); bad.ProcessState.ExitCode() != exitMisuse || !strings.Contains(said.String(), "^") {
		t.Errorf("a query that is none: %v, %s", err, said.Bytes())
	}
	if again := s.command("serve"); again.Run() != nil {
		t.Error("a second daemon does not end well")
	}
	s.run("serve", "--stop")
	if err := c.Wait(); err != nil {
		t.Errorf("the daemon was stopped: %v", err)
	}
	if got := s.run("query", "Saved", "--json"); !strings.Contains(got, `"title":"Saved"`) {
		t.Errorf("without a daemon query says %s", got)
	}
}

// TestOneDaemonWinsTheRace: of many that start at once one serves, and all find it.
func TestOneDaemonWinsTheRace(t *testing.T) {
	s := newServed(t)
	const many = 6
	said := make([]string, many)
	var wait sync.WaitGroup
	for i := range many {
		wait.Go(func() {
			c := s.command("serve", "--detach", "--idle", "1m") // longer than all take to start
			var text bytes.Buffer
			c.Stderr = &text
			if err := c.Run(); err != nil {
				t.Errorf("start %d: %v, %s", i, err, text.Bytes())
			}
			said[i] = text.String()
		})
	}
	wait.Wait()
	if err := s.command("serve", "--stop").Run(); err != nil {
		t.Error(err)
	}
	for _, text := range said {
		if text != said[0] || !strings.Contains(text, " serves ") {
			t.Errorf("one says %q, another %q", said[0], text)
		}
	}
}

// TestKilledDaemonKeepsWhatItAcknowledged: writers in several processes, the daemon
// killed while they write; after it came again all that was acknowledged is there,
// once.
func TestKilledDaemonKeepsWhatItAcknowledged(t *testing.T) {
	s := newServed(t)
	var mu sync.Mutex
	acknowledged := map[string]int{}
	for round := range 3 {
		c := s.serve()
		half := make(chan struct{}, 100)
		var writers sync.WaitGroup
		for w := range 4 {
			writers.Go(func() {
				for i := range 6 {
					title := fmt.Sprintf("note %d-%d-%d", round, w, i)
					if s.command("remember", title, "--quiet").Run() == nil {
						mu.Lock()
						acknowledged[title] = 1
						mu.Unlock()
					}
					half <- struct{}{}
				}
			})
		}
		for range 12 {
			<-half
		}
		_ = c.Process.Kill()
		_ = c.Wait() // killed
		writers.Wait()
	}
	var list []struct{ Title string }
	if err := json.Unmarshal([]byte(s.run("query", "level:1 path:inbox.org", "--json")), &list); err != nil {
		t.Fatal(err)
	}
	got := map[string]int{}
	for _, n := range list {
		got[n.Title]++
	}
	for title := range got {
		if acknowledged[title] == 0 && got[title] == 1 {
			delete(got, title) // it was stored, but the answer did not get through
		}
	}
	if diff := cmp.Diff(acknowledged, got); diff != "" {
		t.Errorf("notes (-acknowledged +there):\n%s", diff)
	}
	if len(acknowledged) < 36 {
		t.Errorf("only %d notes were acknowledged", len(acknowledged))
	}
	s.run("verify", "--files")
}

// TestMCPSharesTheDaemon: clients that start their own server write into one
// memory.
func TestMCPSharesTheDaemon(t *testing.T) {
	s := newServed(t)
	const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",` +
		`"capabilities":{},"clientInfo":{"name":"%s","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
`
	var wait sync.WaitGroup
	for _, name := range []string{"ada", "bob"} {
		wait.Go(func() {
			c := s.command("mcp")
			in, err := c.StdinPipe()
			if err != nil {
				t.Error(err)
				return
			}
			out, err := c.StdoutPipe()
			if err != nil || c.Start() != nil {
				t.Error("mcp does not start")
				return
			}
			fmt.Fprintf(in, initialize, name)
			const notes = 10
			for i := range notes {
				fmt.Fprintf(in, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"remember","arguments":{"title":"%s %d"}}}`+"\n", i+2, name, i)
			}
			answers := bufio.NewScanner(out)
			for range notes + 1 {
				if !answers.Scan() || strings.Contains(answers.Text(), `"isError":true`) || strings.Contains(answers.Text(), `"error"`) {
					t.Errorf("%s: %s", name, answers.Text())
					break
				}
			}
			_ = in.Close()
			if err := c.Wait(); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
	wait.Wait()
	for _, name := range []string{"ada", "bob"} {
		if got := strings.Count(s.run("query", "path:agents/"+name+"/ level:1", "--json"), `"title"`); got != 10 {
			t.Errorf("%s has %d notes, want 10", name, got)
		}
	}
}
