// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// messenger is a server shaped like Telegram's and signal-cli's.
type messenger struct {
	*httptest.Server
	down atomic.Bool
	came chan string
}

func newMessenger(t *testing.T) *messenger {
	m := &messenger{came: make(chan string, 20)}
	m.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if m.down.Load() {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		m.came <- r.URL.Path + " " + string(body)
	}))
	t.Cleanup(m.Close)
	return m
}

// configure has a memex tell the messenger, in both of its forms.
func (m *messenger) configure(s *served) {
	s.t.Helper()
	host := m.Listener.Addr().String()
	text := fmt.Sprintf("alerts = [%q, %q]\n", "telegram://1:token@"+host+"?chats=7&disabletls=yes", "signal://"+host+"/+1/+2?disabletls=yes")
	dir := filepath.Join(filepath.Dir(s.state), "config", "fovea")
	err := os.MkdirAll(dir, 0o700)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "config.toml"), []byte(text), 0o600)
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

// expect waits for a message by each way that says all of want.
func (m *messenger) expect(ctx context.Context, t *testing.T, want ...string) {
	t.Helper()
	ways := map[string]bool{}
	for len(ways) < 2 {
		select {
		case <-ctx.Done():
			t.Fatalf("in time there came %v", ways)
		case text := <-m.came:
			way, _, _ := strings.Cut(text, " ")
			for _, w := range want {
				if !strings.Contains(text, w) {
					t.Errorf("%q is not in %s", w, text)
				}
			}
			if ways[way] {
				t.Errorf("%s came twice", way)
			}
			ways[way] = true
		}
	}
	if !ways["/bot1:token/sendMessage"] || !ways["/v2/send"] {
		t.Errorf("came by %v", ways)
	}
}

func (s *served) put(name, text string) {
	s.t.Helper()
	path := filepath.Join(s.memex, name)
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	if err == nil {
		err = os.WriteFile(path, []byte(text), 0o600)
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

// refused is a verb that must end with an exit code.
func (s *served) refused(code int, words ...string) {
	s.t.Helper()
	c := s.command(words...)
	if out, err := c.CombinedOutput(); c.ProcessState.ExitCode() != code {
		s.t.Errorf("%q: %v\n%s", words, err, out)
	}
}

// TestDaemonTellsAtOnce: nobody asks the daemon for anything, and within a second of
// a save by another program both messengers have the alert; the file is refused.
// Where other work may share the machine the second is a minute.
func TestDaemonTellsAtOnce(t *testing.T) {
	within := time.Minute
	if os.Getenv("FOVEA_CAMPAIGN") != "" {
		within = time.Second
	}
	s, m := newServed(t), newMessenger(t)
	m.configure(s)
	s.put("skills/plan.org", "* Plan\n")
	s.serve()
	s.run("status")
	ctx, stop := context.WithTimeout(t.Context(), within)
	defer stop()
	begun := time.Now()
	s.put("skills/plan.org", "* Obey\n")
	m.expect(ctx, t, "skills/plan.org was changed", "added headline: Obey")
	t.Logf("both have it after %v", time.Since(begun))
	s.refused(exitCorrupt, "show", "skills/plan.org")
	s.refused(exitCorrupt, "skill", "show", "plan")
	s.run("guard", "reject", "skills/plan.org")
	s.run("skill", "show", "plan")
	if len(m.came) > 0 {
		t.Errorf("and then came %s", <-m.came)
	}
}

// TestAlertsOutliveTheProcess: a verb without a daemon sends what it found; what the
// messengers do not take, a later process sends when they are back.
func TestAlertsOutliveTheProcess(t *testing.T) {
	s, m := newServed(t), newMessenger(t)
	m.configure(s)
	s.put("skills/plan.org", "* Plan\n")
	s.run("ingest", "--no-daemon")
	s.put("skills/plan.org", "* Obey\n")
	s.refused(exitCorrupt, "show", "skills/plan.org", "--no-daemon")
	m.expect(t.Context(), t, "skills/plan.org was changed")

	m.down.Store(true)
	s.put("skills/plan.org", "* Obey me\n")
	s.refused(exitCorrupt, "show", "skills/plan.org", "--no-daemon")
	m.down.Store(false)
	s.serve()
	m.expect(t.Context(), t, "skills/plan.org was changed", "added headline: Obey me")
	s.run("status")
	s.run("serve", "--stop")
	if len(m.came) > 0 {
		t.Errorf("and then came %s", <-m.came)
	}
	if left, err := os.ReadFile(filepath.Join(s.state, alertsFile)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("left are %s, %v", left, err)
	}
}

// TestDaemonTellsOfDamage: a daemon that finds an image damaged when it starts has
// its owner told, and serves what the journal says.
func TestDaemonTellsOfDamage(t *testing.T) {
	s, m := newServed(t), newMessenger(t)
	m.configure(s)
	s.put("a.org", "* A note that stays\n")
	s.run("checkpoint", "--no-daemon")
	images, err := filepath.Glob(filepath.Join(s.state, "image", "*.img"))
	if err != nil || len(images) == 0 {
		t.Fatalf("images %v, %v", images, err)
	}
	for _, name := range images {
		if err := os.WriteFile(name, []byte("mangled"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s.serve()
	m.expect(t.Context(), t, "failed verification and was skipped", "fovea verify")
	s.run("show", "A note that stays")
}
