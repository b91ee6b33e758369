// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package daemon_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/internal/bound"
	"github.com/fovea-memory/fovea/internal/config"
	"github.com/fovea-memory/fovea/internal/daemon"
	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/internal/httpapi"
)

// token makes a token for an agent.
func (h *house) token(agent string) string {
	h.t.Helper()
	tokens, err := config.ReadTokens()
	h.check(err)
	secret, err := tokens.Add(config.Token{Name: agent, Agent: agent, Role: "agent"})
	h.check(err)
	return secret
}

// stream opens a stream of events and returns when its first line was read.
func (h *house) stream(transport http.RoundTripper, url, secret string) (*bufio.Scanner, io.Closer) {
	h.t.Helper()
	r, err := http.NewRequestWithContext(h.t.Context(), http.MethodGet, url+"/v1/events", nil)
	h.check(err)
	if secret != "" {
		r.Header.Set("Authorization", "Bearer "+secret)
	}
	a, err := transport.RoundTrip(r)
	h.check(err)
	lines := bufio.NewScanner(a.Body)
	if a.StatusCode != http.StatusOK || !lines.Scan() || lines.Text() != ": fovea" {
		h.t.Fatalf("a stream begins with %s, %q, %v", a.Status, lines.Text(), lines.Err())
	}
	return lines, a.Body
}

// rest reads a stream to its end.
func rest(lines *bufio.Scanner) string {
	var all strings.Builder
	for lines.Scan() {
		all.WriteString(lines.Text() + "\n")
	}
	return all.String()
}

// answered fails the test unless the port answers who has a token.
func (h *house) answered(who, secret string) {
	h.t.Helper()
	c := httpapi.HTTP(h.url, &httpapi.ClientOptions{Token: secret})
	defer c.Close()
	if _, err := c.Hello(h.t.Context()); err != nil {
		h.t.Errorf("%s is not answered: %v", who, err)
	}
}

// TestStreamsOfOneToken: whoever opens more streams than a token may have loses its own
// oldest ones, which say why; the newest goes on, and so do all others.
func TestStreamsOfOneToken(t *testing.T) {
	h := serve(t, nil, "a.org")
	mint, ada := h.token("mint"), h.token("ada")
	owner, err := foveatest.Address[daemon.Address](h.config.StateDir)
	h.check(err)
	transport := &http.Transport{DisableKeepAlives: true}
	adas, end := h.stream(transport, h.url, ada)
	defer end.Close()
	const many = 300
	var streams []*bufio.Scanner
	for range many {
		lines, end := h.stream(transport, h.url, mint)
		defer end.Close()
		streams = append(streams, lines)
	}
	h.answered("the owner", owner.Token)
	h.answered("another agent", ada)
	h.answered("the agent with the streams", mint)
	for i, lines := range streams[:many-bound.Streams.Agent] {
		if got := rest(lines); !strings.Contains(got, "event: end\n") || !strings.Contains(got, "too many streams") {
			t.Fatalf("stream %d ended with %q", i, got)
		}
	}
	_, err = api.OpRemember.Call(t.Context(), h.far.Service, api.RememberRequest{Title: "Rain"})
	h.check(err)
	for _, lines := range []*bufio.Scanner{adas, streams[many-bound.Streams.Agent], streams[many-1]} {
		for lines.Scan() && !strings.Contains(lines.Text(), `"kind":"edit"`) {
			if strings.HasPrefix(lines.Text(), "event: end") {
				t.Fatal("a stream gave way that should not")
			}
		}
		if lines.Err() != nil {
			t.Error(lines.Err())
		}
	}
}

// TestStreamsOfTheOwner: with 1,000 streams open over the socket the verbs of the owner
// are answered, and so is the port.
func TestStreamsOfTheOwner(t *testing.T) {
	h := serve(t, nil, "a.org")
	socket, err := h.config.Socket()
	h.check(err)
	transport := &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", socket)
	}}
	for range 1000 {
		_, end := h.stream(transport, "http://fovea", "")
		defer end.Close()
	}
	again, err := daemon.Connect(t.Context(), &h.config, nil)
	h.check(err)
	defer again.Close()
	if _, err := api.OpRemember.Call(t.Context(), again.Service, api.RememberRequest{Title: "Rain"}); err != nil {
		t.Error(err)
	}
	h.answered("an agent", h.token("ada"))
}

// TestHalfOpenConnections: however many connections are open over which nobody has shown a
// token, a newcomer is answered; the oldest of them are closed.
func TestHalfOpenConnections(t *testing.T) {
	h := serve(t, func(o *daemon.Options) { o.SlowHeader = time.Hour }, "a.org") // none ends by itself
	ada := h.token("ada")
	address := strings.TrimPrefix(h.url, "http://")
	var half []net.Conn
	for range 2 * bound.Connections.Anonymous {
		c, err := net.Dial("tcp", address)
		h.check(err)
		defer c.Close()
		_, err = io.WriteString(c, "GET /v1/hello HTTP/1.1\r\nHost: ")
		h.check(err)
		half = append(half, c)
	}
	h.answered("a newcomer", ada)
	if n, err := half[0].Read(make([]byte, 1)); n > 0 || err == nil {
		t.Error("the oldest was answered")
	}
}

// TestLargeRequestsOfOneToken: whoever sends many large bodies without ending, or asks for
// many large answers without reading, keeps a few of them in memory. The oldest end, and
// everybody is answered.
func TestLargeRequestsOfOneToken(t *testing.T) {
	h := serve(t, nil, "a.org")
	h.check(os.WriteFile(filepath.Join(h.config.Memex, "large.org"), []byte("* Large\n"+strings.Repeat("word after word\n", 1<<19)), 0o600))
	mint, ada := h.token("mint"), h.token("ada")
	owner, err := foveatest.Address[daemon.Address](h.config.StateDir)
	h.check(err)
	head := " HTTP/1.1\r\nHost: " + strings.TrimPrefix(h.url, "http://") + "\r\nAuthorization: Bearer " + mint + "\r\n"
	body := "Content-Type: application/json\r\nContent-Length: 8000000\r\n\r\n" + strings.Repeat(" ", 1<<20)
	for _, tc := range []struct{ name, request, ends string }{
		{"a body", "POST /v1/remember" + head + body, "429"},
		{"a body of no length", "POST /v1/remember" + head + "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n100000\r\n" +
			strings.Repeat(" ", 1<<20), "429"},
		{"an answer", "GET /v1/show?id=Large" + head + "\r\n", cutOff},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var all []net.Conn
			for range 3 * bound.Large.Agent {
				c, err := net.Dial("tcp", strings.TrimPrefix(h.url, "http://"))
				h.check(err)
				defer c.Close()
				h.check(c.(*net.TCPConn).SetReadBuffer(64 << 10))
				go func() { _, _ = io.WriteString(c, tc.request) }() // it may be refused amid that
				all = append(all, c)
			}
			h.answered("the owner", owner.Token)
			h.answered("another agent", ada)
			h.answered("the agent itself", mint)
			ended, waits := make(chan string), 2*bound.Large.Agent
			var readers []*bufio.Reader
			for _, c := range all {
				readers = append(readers, bufio.NewReader(c))
			}
			if tc.ends == cutOff {
				waits = len(all) // all end, those that were not cut off well
				for _, r := range readers {
					if _, err := r.Peek(1); !errors.Is(err, io.EOF) { // it is on its way, or was cut off before it began
						h.check(err)
					}
				}
			}
			for _, r := range readers {
				go func() { ended <- whole(r) }()
			}
			gaveWay := 0
			for range waits {
				if how := <-ended; strings.Contains(how, tc.ends) {
					gaveWay++
				} else if how != "200 OK <nil>" {
					t.Errorf("one ended with %s", how)
				}
			}
			if gaveWay != 2*bound.Large.Agent {
				t.Errorf("%d gave way", gaveWay)
			}
		})
	}
}

// cutOff is how an answer ends that is not whole.
const cutOff = "unexpected EOF"

// whole reads an answer to its end, and returns how that went.
func whole(r *bufio.Reader) string {
	a, err := http.ReadResponse(r, nil)
	if err != nil {
		return err.Error()
	}
	defer a.Body.Close()
	_, err = io.Copy(io.Discard, a.Body)
	return fmt.Sprint(a.Status, " ", err)
}
