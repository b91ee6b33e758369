// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// zeros are the bytes of an endless file, and how many of them were read.
type zeros struct{ read int }

func (z *zeros) Read(p []byte) (int, error) {
	clear(p)
	z.read += len(p)
	return len(p), nil
}

// refusal runs a verb that is to be refused, and returns the code and what it says.
func (s *served) refusal(in io.Reader, words ...string) (code int, said string) {
	s.t.Helper()
	c := s.command(append(words, "--json")...)
	c.Stdin = in
	var complaint bytes.Buffer
	c.Stderr = &complaint
	err := c.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode(), complaint.String()
	}
	s.t.Errorf("%q is not refused: %v %s", words, err, complaint.String())
	return 0, ""
}

// TestRefusedOfAgents: what agents and persons ask of messages, tasks and proposals that cannot
// be is refused by its name, with or without a daemon, and nothing is written or lost.
func TestRefusedOfAgents(t *testing.T) {
	for _, way := range []string{"one process", "daemon"} {
		t.Run(way, func(t *testing.T) {
			s := newServed(t)
			tasks := "* TODO Open\n:PROPERTIES:\n:ID: open\n:END:\n* DONE Old\n:PROPERTIES:\n:ID: old\n:END:\n" +
				"* TODO A\n:PROPERTIES:\n:ID: a\n:DEPENDS_ON: b\n:END:\n* TODO B\n:PROPERTIES:\n:ID: b\n:DEPENDS_ON: a\n:END:\n"
			if err := os.WriteFile(filepath.Join(s.memex, "tasks.org"), []byte(tasks), 0o600); err != nil {
				t.Fatal(err)
			}
			if way == "daemon" {
				if said, err := s.command("serve", "--detach").CombinedOutput(); err != nil {
					t.Fatalf("%v: %s", err, said)
				}
			}
			s.run("remember", "Here", "--agent", "bob")
			before := s.run("head")
			for _, tc := range []struct {
				words []string
				want  string
			}{
				{[]string{"message", "send", "nobody", "Hello", "--agent", "bob"}, "nobody of that name is known here"},
				{[]string{"message", "send", "bob", "Hello", "--agent", "bob"}, "that is the sender"},
				{[]string{"message", "send", "bob", "Hello", "--body", strings.Repeat("x", 70_000)}, "a message has at most 65536 bytes"},
				{[]string{"message", "read", "none", "--agent", "bob"}, "no such message in the inbox"},
				{[]string{"task", "claim", "a", "--agent", "bob"}, "the task waits for itself"},
				{[]string{"task", "claim", "old", "--agent", "bob"}, "done"},
				{[]string{"task", "claim", "nothing", "--agent", "bob"}, "not found"},
				{[]string{"task", "claim", "open", "--lease", "876000h", "--agent", "bob"}, "a lease is 1s to 24h0m0s long"},
				{[]string{"task", "claim", "open", "--lease", "100y", "--agent", "bob"}, "100y"},
				{[]string{"task", "done", "open", "7", "--agent", "bob"}, "not in force"},
				{[]string{"task", "renew", "open", "7", "--agent", "bob"}, "not in force"},
				{[]string{"remember", "Late", "--claim", "open:7", "--agent", "bob"}, "not in force"},
				{[]string{"review", "accept", "none"}, "no such proposal waits"},
				{[]string{"log", "--since-last", "--agent", "bob"}, "only the owner"},
			} {
				code, said := s.refusal(nil, tc.words...)
				if code == 0 || !strings.Contains(said, tc.want) || !strings.Contains(said, `"kind"`) {
					t.Errorf("%q: %d, %s", tc.words, code, said)
				}
			}
			endless := &zeros{}
			code, said := s.refusal(io.LimitReader(endless, 1<<30), "message", "send", "bob", "Hello", "--body", "-")
			if code == 0 || !strings.Contains(said, "bytes") || endless.read > 100<<20 {
				t.Errorf("a message of 1 GB: %d, %s; %d bytes were read", code, said, endless.read)
			}
			if after := s.run("head"); after != before {
				t.Errorf("the head was %s and is %s", before, after)
			}
			if out := s.run("task", "claim", "open", "--agent", "bob", "--json"); !strings.Contains(out, `"number"`) {
				t.Errorf("what can be claimed: %s", out)
			}
		})
	}
}

// TestHookWithoutAnything: a hook without a daemon, a memex, rights or a sensible input prints
// nothing and exits with 0, and --check says why.
func TestHookWithoutAnything(t *testing.T) {
	const input = `{"hook_event_name":"UserPromptSubmit","session_id":"s1","prompt":"rivets"}`
	for _, tc := range []struct {
		name, input string
		prepare     func(s *served)
		want        string // of what --check says
	}{
		{"no daemon", input, func(*served) {}, "no daemon serves this memex yet"},
		{"no memex", input, func(s *served) { must(s.t, os.Remove(s.memex)) }, ""},
		{"a file in its place", input, func(s *served) { must(s.t, os.Remove(s.memex)); must(s.t, os.WriteFile(s.memex, nil, 0o600)) }, ""},
		{"a damaged configuration", input, func(s *served) {
			folder := filepath.Join(filepath.Dir(s.state), "config", "fovea")
			must(s.t, os.MkdirAll(folder, 0o755))
			must(s.t, os.WriteFile(filepath.Join(folder, "config.toml"), []byte("nonsense = [\n"), 0o644))
		}, "config.toml"},
		{"no JSON", "{", func(*served) {}, "the input of a hook is one JSON object"},
		{"nothing", "", func(*served) {}, "the input of a hook is one JSON object"},
		{"5 MiB", strings.Repeat("x", 5<<20), func(*served) {}, "bytes"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := newServed(t)
			tc.prepare(s)
			run := func(words ...string) (out, said string, err error) {
				c := s.command(append([]string{"hook"}, words...)...)
				c.Stdin = strings.NewReader(tc.input)
				var stdout, stderr bytes.Buffer
				c.Stdout, c.Stderr = &stdout, &stderr
				err = c.Run()
				return stdout.String(), stderr.String(), err
			}
			if out, said, err := run(); out != "" || said != "" || err != nil {
				t.Errorf("%q, %q, %v", out, said, err)
			}
			if _, said, err := run("--check"); tc.want != "" && (err == nil || !strings.Contains(said, tc.want)) {
				t.Errorf("--check says %q, %v", said, err)
			}
			if tc.name == "no daemon" { // the hook has started one; it must be up to be stopped
				s.run("serve", "--detach")
			}
		})
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// proposed has an agent propose a note over HTTP, and returns the id of the proposal.
func (s *served) proposed(secret, title string) string {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), "POST", servedAt(s.t, s)+"/v1/remember", strings.NewReader(`{"title":"`+title+`"}`))
	must(s.t, err)
	r.Header.Set("Authorization", "Bearer "+secret)
	r.Header.Set("Content-Type", "application/json")
	a, err := http.DefaultClient.Do(r)
	must(s.t, err)
	defer a.Body.Close()
	var kept struct{ Proposal string }
	if err := json.NewDecoder(a.Body).Decode(&kept); err != nil || kept.Proposal == "" {
		s.t.Fatalf("%s, %v", a.Status, err)
	}
	return kept.Proposal
}

// TestWithdraw: who made a proposal takes it back on the command line, by the beginning of its id, which
// a shell completes; nobody else does.
func TestWithdraw(t *testing.T) {
	s := reviewedServed(t)
	secret := strings.TrimSpace(s.run("token", "add", "ada"))
	okapi, quagga := s.proposed(secret, "Okapi"), s.proposed(secret, "Quagga")
	c := process(t, s.state, "__complete", "--memex", s.memex, "review", "withdraw", okapi[:8])
	c.Env = append(c.Env, "XDG_RUNTIME_DIR="+s.runtime)
	if out, err := c.Output(); err != nil || !strings.Contains(string(out), okapi+"\tada: Okapi\n") || strings.Contains(string(out), quagga) {
		t.Errorf("completed: %s, %v", out, err)
	}
	for who, want := range map[string]string{"": "only its own agent withdraws a proposal", "bob": "no such proposal waits"} {
		if code, said := s.refusal(nil, "review", "withdraw", okapi[:8], "--agent", who); code != exitFailed || !strings.Contains(said, want) {
			t.Errorf("%q: %d %s", who, code, said)
		}
	}
	if out := s.run("review", "withdraw", okapi[:8], "--agent", "ada"); out != "withdrawn  "+okapi+"\n" {
		t.Errorf("ada withdraws: %s", out)
	}
	if left := s.run("review", "list", "--json"); strings.Contains(left, okapi) || !strings.Contains(left, quagga) {
		t.Errorf("what waits is %s", left)
	}
	if code, said := s.refusal(nil, "review", "withdraw", okapi, "--agent", "ada"); code != exitFailed || !strings.Contains(said, "no such proposal waits") {
		t.Errorf("again: %d %s", code, said)
	}
}

// TestTwoDecide: of two persons who decide about a proposal at once, over the daemon, one does.
func TestTwoDecide(t *testing.T) {
	s := reviewedServed(t)
	id := s.proposed(strings.TrimSpace(s.run("token", "add", "ada")), "Okapi")
	var runs []*exec.Cmd
	for _, verb := range []string{"accept", "reject", "accept", "reject"} {
		c := s.command("review", verb, id, "--json")
		c.Stderr = &bytes.Buffer{}
		must(t, c.Start())
		runs = append(runs, c)
	}
	done := 0
	for _, c := range runs {
		said := c.Wait()
		if text := c.Stderr.(*bytes.Buffer).String(); said == nil {
			done++
		} else if !strings.Contains(text, "no such proposal waits") {
			t.Errorf("%q: %v %s", c.Args, said, text)
		}
	}
	if left := s.run("review", "list", "--json"); done != 1 || strings.TrimSpace(left) != "[]" {
		t.Errorf("%d decided; left is %s", done, left)
	}
}
