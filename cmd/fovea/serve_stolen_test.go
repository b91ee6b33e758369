// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fovea-memory/fovea/internal/daemon"
	"github.com/fovea-memory/fovea/internal/foveatest"
)

// bearer is a program that has a token of a daemon.
type bearer struct {
	t           *testing.T
	url, secret string
}

// ask sends an operation and returns the status of the answer.
func (b *bearer) ask(operation, body string) int {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), "POST", b.url+"/v1/"+operation, strings.NewReader(body))
	if err != nil {
		b.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	a, err := withToken(b.secret).RoundTrip(r)
	if err != nil {
		b.t.Fatal(err)
	}
	defer a.Body.Close()
	_, _ = io.Copy(io.Discard, a.Body)
	return a.StatusCode
}

// write sends an operation that must be done.
func (b *bearer) write(operation, body string) {
	b.t.Helper()
	if status := b.ask(operation, body); status != http.StatusOK {
		b.t.Fatalf("%s %s: %d", operation, body, status)
	}
}

// events opens the stream of changes.
func (b *bearer) events() io.ReadCloser {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), "GET", b.url+"/v1/events", nil)
	if err != nil {
		b.t.Fatal(err)
	}
	a, err := withToken(b.secret).RoundTrip(r)
	if err != nil || a.StatusCode != http.StatusOK {
		b.t.Fatalf("%v, %v", a, err)
	}
	return a.Body
}

// listener is a client of MCP that hears of changes by a stream.
type listener struct {
	withToken
	told  chan string   // notes that changed
	ended chan struct{} // closed with the stream
}

// RoundTrip sends a request; the answer to a GET is the stream.
func (l *listener) RoundTrip(r *http.Request) (*http.Response, error) {
	a, err := l.withToken.RoundTrip(r)
	if err == nil && r.Method == http.MethodGet {
		a.Body = &overheard{a.Body, sync.OnceFunc(func() { close(l.ended) })}
	}
	return a, err
}

type overheard struct {
	io.ReadCloser
	end func()
}

func (o *overheard) Read(b []byte) (int, error) {
	n, err := o.ReadCloser.Read(b)
	if err != nil {
		o.end()
	}
	return n, err
}

// listen opens a session of MCP that is told when a note changes.
func (b *bearer) listen(uri string) *listener {
	b.t.Helper()
	l := &listener{withToken: withToken(b.secret), told: make(chan string, 10), ended: make(chan struct{})}
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
		ResourceUpdatedHandler: func(_ context.Context, r *mcp.ResourceUpdatedNotificationRequest) { l.told <- r.Params.URI },
	})
	c, err := client.Connect(b.t.Context(), &mcp.StreamableClientTransport{
		Endpoint: b.url + "/mcp", HTTPClient: &http.Client{Transport: l}, MaxRetries: -1,
	}, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err == nil {
		err = c.Subscribe(b.t.Context(), &mcp.SubscribeParams{URI: uri})
	}
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { _ = c.Close() })
	return l
}

// notes are the files of the memex.
func (s *served) notes() map[string]string {
	s.t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(s.memex, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		files[strings.TrimPrefix(path, s.memex+"/")] = string(text)
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return files
}

// TestStolenToken: what somebody does with a token bears its name. Taken away it ends
// at once, open streams and sessions of MCP included, and what was done with it is
// taken back while the work of others stays.
func TestStolenToken(t *testing.T) {
	s := newServed(t)
	s.put("tasks.org", "* Old task\n:PROPERTIES:\n:ID: old\n:END:\n")
	s.put("river.org", "* Gauge\n:PROPERTIES:\n:ID: gauge\n:END:\n")
	s.run("ingest")
	ada := &bearer{t: t, secret: strings.TrimSpace(s.run("token", "add", "ada"))}
	bob := &bearer{t: t, secret: strings.TrimSpace(s.run("token", "add", "bob"))}
	if said, err := s.command("serve", "--detach", "--http").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	at, err := foveatest.Address[daemon.Address](s.state)
	if err != nil {
		t.Fatal(err)
	}
	ada.url, bob.url = at.URL, at.URL
	ada.write("remember", `{"title":"By ada, honestly"}`)
	bob.write("remember", `{"title":"By bob, before"}`)
	before, since := s.notes(), s.newest()

	ada.write("remember", `{"title":"By a thief","under":"tasks.org"}`)
	ada.write("remember", `{"title":"By a thief too"}`)
	bob.write("remember", `{"title":"By bob, after","under":"tasks.org"}`)
	ada.write("edit", `{"id":"old","todo":"DONE"}`)
	stream, session := ada.events(), ada.listen("fovea://node/gauge")
	s.run("edit", "gauge", "--todo", "TODO")
	if got := <-session.told; got != "fovea://node/gauge" {
		t.Fatalf("told of %s", got)
	}

	last := s.newest()
	s.run("token", "remove", "ada")
	for _, operation := range []string{"remember", "query", "status"} {
		if got := ada.ask(operation, `{"title":"x","query":"x"}`); got != http.StatusUnauthorized {
			t.Errorf("%s with a token that was taken away: %d", operation, got)
		}
	}
	s.run("edit", "gauge", "--todo", "DONE")
	for lines := bufio.NewScanner(stream); lines.Scan(); { // until it ends
		if strings.HasPrefix(lines.Text(), fmt.Sprintf("id: %d", last+1)) {
			t.Fatalf("the stream of changes still has %s", lines.Text())
		}
	}
	select {
	case got := <-session.told:
		t.Errorf("the session is still told of %s", got)
	case <-session.ended:
	}

	s.run("revert", "--author", "ada", "--since", fmt.Sprintf("seq:%d", since))
	after := s.notes()
	for _, want := range []struct{ file, text string }{
		{"tasks.org", "* Old task\n"}, {"tasks.org", "By bob, after"}, {"river.org", "* DONE Gauge\n"},
	} {
		if got := after[want.file]; !strings.Contains(got, want.text) || strings.Contains(got, "thief") {
			t.Errorf("%s has\n%s", want.file, got)
		}
	}
	for _, name := range []string{"tasks.org", "river.org"} {
		delete(before, name)
		delete(after, name)
	}
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("all else, as before the theft (-want +got):\n%s", diff)
	}
}

// newest is the number of the newest commit.
func (s *served) newest() uint64 {
	s.t.Helper()
	var log []struct {
		Seq uint64 `json:"seq"`
	}
	if err := json.Unmarshal([]byte(s.run("log", "--limit", "1", "--json")), &log); err != nil || len(log) != 1 {
		s.t.Fatal(log, err)
	}
	return log[0].Seq
}
