// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"context"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// reviewedServed is a served memex in which what ada writes is reviewed, with a port.
func reviewedServed(t *testing.T) *served {
	t.Helper()
	s := newServed(t)
	config := filepath.Join(filepath.Dir(s.state), "config", "fovea", "config.toml")
	if err := os.MkdirAll(filepath.Dir(config), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(config, []byte("[grants.ada]\nreview = [\"/\"]\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if said, err := s.command("serve", "--detach", "--http").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	return s
}

// subscriber is an MCP client of an agent that subscribed to addresses; it sends those that it is
// told of.
func subscriber(t *testing.T, s *served, agent string, addresses ...string) (*mcp.ClientSession, <-chan string) {
	t.Helper()
	told := make(chan string, 100)
	changed := func(_ context.Context, req *mcp.ResourceUpdatedNotificationRequest) { told <- req.Params.URI }
	c := connected(t, s.command("mcp", "--agent", agent), &mcp.ClientOptions{ResourceUpdatedHandler: changed})
	for _, address := range addresses {
		if err := c.Subscribe(t.Context(), &mcp.SubscribeParams{URI: address}); err != nil {
			t.Fatal(err)
		}
	}
	return c, told
}

// streamed reads the events of the stream that a token opens: their names and data, up to the one
// whose data has a word.
func streamed(t *testing.T, s *served, secret string) (upTo func(word string) []string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "GET", servedAt(t, s)+"/v1/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+secret)
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Body.Close() })
	lines := bufio.NewScanner(a.Body)
	lines.Buffer(nil, 1<<20)
	return func(word string) []string {
		t.Helper()
		var got []string
		event := ""
		for lines.Scan() {
			name, value, _ := strings.Cut(lines.Text(), ": ")
			switch name {
			case "event":
				event = value
			case "data":
				got = append(got, event+" "+value)
				if strings.Contains(value, word) {
					return got
				}
			}
		}
		t.Fatalf("the stream ended without %q: %q, %v", word, got, lines.Err())
		return nil
	}
}

// TestToldOfMailAndReview: a proposal and what becomes of it are told at once to the owner and to
// its agent, over MCP and the stream of HTTP, and to nobody else; a message is told to those who
// subscribed to the inbox of its receiver. No text of a proposal is in what others are told.
func TestToldOfMailAndReview(t *testing.T) {
	s := reviewedServed(t)
	secrets := map[string]string{}
	for _, agent := range []string{"ada", "bob"} {
		secrets[agent] = strings.TrimSpace(s.run("token", "add", agent))
	}
	ada, adaTold := subscriber(t, s, "ada", "fovea://review", "fovea://inbox")
	_, bobTold := subscriber(t, s, "bob", "fovea://review", "fovea://inbox")
	adaStream, bobStream := streamed(t, s, secrets["ada"]), streamed(t, s, secrets["bob"])

	args := map[string]any{"title": "Okapi", "body": "quagga"}
	if a, err := ada.CallTool(t.Context(), &mcp.CallToolParams{Name: "remember", Arguments: args}); err != nil || a.IsError {
		t.Fatalf("%+v, %v", a, err)
	}
	if got := <-adaTold; got != "fovea://review" {
		t.Errorf("ada is told of %s", got)
	}
	id, _, _ := strings.Cut(s.run("review", "list"), "\t")
	s.run("review", "reject", strings.TrimSpace(id), "--reason", "Ask Lukas.")
	for i := range 2 {
		if got := <-adaTold; got != []string{"fovea://inbox", "fovea://review"}[i] && got != []string{"fovea://review", "fovea://inbox"}[i] {
			t.Errorf("ada is told of %s", got)
		}
	}
	s.run("message", "send", "bob", "Zebra", "--first")
	if got := <-bobTold; got != "fovea://inbox" || len(bobTold) > 0 {
		t.Errorf("bob is told of %s and %d more", got, len(bobTold))
	}

	var events []string
	for _, e := range adaStream("Zebra") {
		if kind, data, _ := strings.Cut(e, " "); kind == "review" {
			events = append(events, data)
		}
	}
	about := `{"id":"` + strings.TrimSpace(id) + `","agent":"ada","event":`
	want := []string{about + `"proposed"}`, about + `"rejected"}`}
	if !slices.Equal(events, want) {
		t.Errorf("the stream of ada has %q", events)
	}
	all := strings.Join(bobStream("Zebra"), "\n")
	if strings.Contains(all, "quagga") || strings.Contains(all, "Okapi") || strings.Contains(all, "review ") || strings.Contains(all, strings.TrimSpace(id)) {
		t.Errorf("the stream of bob has %s", all)
	}
}
