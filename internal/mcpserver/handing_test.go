// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package mcpserver_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/api/ops"
	"github.com/fovea-memory/fovea/internal/mcpserver"
)

// client is the end of a line transport that a client has; it is gone when it is to be given
// a text that has a word of gone.
type client struct {
	mu   sync.Mutex
	gone string
	got  bytes.Buffer
}

func (c *client) Write(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.gone != "" && bytes.Contains(b, []byte(c.gone)) {
		return 0, errors.New("the client is gone")
	}
	return c.got.Write(b)
}

func (c *client) Close() error { return nil }

// attend serves a client that sends these lines and then disconnects, as an agent.
func attend(t *testing.T, svc api.Service, agent string, c *client, lines string) {
	t.Helper()
	s := mcpserver.New(ops.Guarded(svc), &mcpserver.Options{Acting: granted(agent)})
	in := io.NopCloser(bytes.NewReader([]byte(lines)))
	_ = s.Run(t.Context(), &mcpserver.Transport{In: in, Out: c}) // it ends with the client
}

const (
	greetLines = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26",` +
		`"capabilities":{},"clientInfo":{"name":"x","version":"1"}}}` + "\n" +
		`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"
	inboxLine = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"history","arguments":{"action":"inbox"}}}`
	againLine = `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"history","arguments":{"action":"inbox"}}}`
)

// TestMarkedWhenWritten: messages are marked as read once their answer was written to the client,
// beside other calls as well; where it could not be, they stay unread.
func TestMarkedWhenWritten(t *testing.T) {
	svc, _ := memory(t)
	unread := func() int {
		t.Helper()
		all, err := ops.OpMessages.Call(context.Background(), svc, ops.MessagesRequest{Agent: "bob", Unread: true})
		if err != nil {
			t.Fatal(err)
		}
		return len(all)
	}
	send := func(subject string) {
		t.Helper()
		if _, err := ops.OpMessageSend.Call(t.Context(), svc, ops.MessageSendRequest{To: "bob", Subject: subject, Known: true}); err != nil {
			t.Fatal(err)
		}
	}
	send("zebra")
	attend(t, svc, "bob", &client{gone: "zebra"}, greetLines+inboxLine+"\n")
	if n := unread(); n != 1 {
		t.Fatalf("the client was gone, and %d are unread", n)
	}
	c := &client{}
	attend(t, svc, "bob", c, greetLines+inboxLine+"\n")
	if n := unread(); n != 0 || !bytes.Contains(c.got.Bytes(), []byte("zebra")) {
		t.Errorf("%d are unread after %s", n, c.got.Bytes())
	}
	send("okapi")
	c = &client{}
	attend(t, svc, "bob", c, greetLines+inboxLine+"\n"+againLine+"\n")
	if n := unread(); n != 0 || !bytes.Contains(c.got.Bytes(), []byte("okapi")) {
		t.Errorf("asked for twice: %d are unread after %s", n, c.got.Bytes())
	}
	send("quokka")
	c = &client{}
	other := `{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"history","arguments":{"action":"tasks"}}}`
	attend(t, svc, "bob", c, greetLines+inboxLine+"\n"+other+"\n")
	if n := unread(); n != 0 || !bytes.Contains(c.got.Bytes(), []byte("quokka")) {
		t.Errorf("beside another call: %d are unread after %s", n, c.got.Bytes())
	}
	words := []string{"one", "two", "three", "four", "five", "six", "seven"}
	for _, w := range words {
		send("number-" + w)
	}
	c = &client{}
	attend(t, svc, "bob", c, greetLines+inboxLine+"\n"+againLine+"\n")
	if n := unread(); n != 0 || slices.ContainsFunc(words, func(w string) bool { return !bytes.Contains(c.got.Bytes(), []byte("number-"+w)) }) {
		t.Errorf("two at once: %d are unread after %s", n, c.got.Bytes())
	}
}

// failing is a connection that breaks at a word.
type failing struct {
	http.ResponseWriter
	at string
}

func (f failing) Write(b []byte) (int, error) {
	if f.at != "" && bytes.Contains(b, []byte(f.at)) {
		return 0, errors.New("the client is gone")
	}
	return f.ResponseWriter.Write(b)
}

func (f failing) Unwrap() http.ResponseWriter { return f.ResponseWriter }

// TestMarkedWhenWrittenOverHTTP: an answer that could not be written over HTTP marks no message as
// read; the next one hands it over.
func TestMarkedWhenWrittenOverHTTP(t *testing.T) {
	svc, _ := memory(t)
	for _, subject := range []string{"okapi", "zebra"} {
		if _, err := ops.OpMessageSend.Call(t.Context(), svc, ops.MessageSendRequest{To: "bob", Subject: subject, Known: true}); err != nil {
			t.Fatal(err)
		}
	}
	web := forAll(mcpserver.New(ops.Guarded(svc), &mcpserver.Options{Acting: granted("bob")}))
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		web.ServeHTTP(failing{w, r.Header.Get("Fails-At")}, r)
	}))
	t.Cleanup(site.Close)
	a, _ := post(t, site.URL, fmt.Sprintf(hello, "2025-11-25"))
	id := a.Header.Get("Mcp-Session-Id")
	for i, want := range []string{"", "zebra", "No unread messages"} {
		headers := []string{"Mcp-Session-Id", id}
		if want == "" {
			headers = append(headers, "Fails-At", "zebra")
		}
		_, text := post(t, site.URL, strings.Replace(inboxLine, `"id":2`, fmt.Sprintf(`"id":%d`, i+2), 1), headers...)
		if !strings.Contains(text, want) || strings.Contains(text, "okapi") != (want == "zebra") {
			t.Errorf("answer %d: %s", i, text)
		}
	}
}

// TestDroppedHandOverHTTP: a client that leaves before its inbox is answered holds up the next call
// for no longer than an answer takes, and loses no message.
func TestDroppedHandOverHTTP(t *testing.T) {
	svc, _ := memory(t)
	if _, err := ops.OpMessageSend.Call(t.Context(), svc, ops.MessageSendRequest{To: "bob", Subject: "zebra", Known: true}); err != nil {
		t.Fatal(err)
	}
	var first sync.Once
	reading, goOn := make(chan struct{}), make(chan struct{})
	slow := func(ctx context.Context, c api.Call) (any, error) {
		if c.Op.Name == ops.OpMessageRead.Name {
			first.Do(func() { close(reading); <-goOn })
		}
		return svc(ctx, c)
	}
	web, left := forAll(mcpserver.New(ops.Guarded(slow), &mcpserver.Options{Acting: granted("bob")})), make(chan struct{})
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		web.ServeHTTP(w, r)
		if r.Header.Get("Leaves") != "" {
			close(left)
		}
	}))
	t.Cleanup(site.Close)
	a, _ := post(t, site.URL, fmt.Sprintf(hello, "2025-11-25"))
	session := []string{"Mcp-Session-Id", a.Header.Get("Mcp-Session-Id")}
	ctx, leave := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, site.URL, strings.NewReader(inboxLine))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set(session[0], session[1])
	r.Header.Set("Leaves", "yes")
	go func() {
		<-reading
		leave()
	}()
	if answer, err := http.DefaultTransport.RoundTrip(r); err == nil {
		_, _ = io.Copy(io.Discard, answer.Body) // until it is left
		answer.Body.Close()
	}
	<-left
	close(goOn)
	if _, text := post(t, site.URL, againLine, session...); !strings.Contains(text, "zebra") {
		t.Errorf("the next call is answered with %s", text)
	}
}

// TestCallsAtOnceHandOverOnce: several calls at once get a message once.
func TestCallsAtOnceHandOverOnce(t *testing.T) {
	svc, _ := memory(t)
	if _, err := ops.OpMessageSend.Call(t.Context(), svc, ops.MessageSendRequest{To: "bob", Subject: "okapi", Known: true}); err != nil {
		t.Fatal(err)
	}
	calls := []string{inboxLine, againLine, strings.Replace(againLine, `"id":3`, `"id":4`, 1), strings.Replace(againLine, `"id":3`, `"id":5`, 1)}
	c := &client{}
	attend(t, svc, "bob", c, greetLines+strings.Join(calls, "\n")+"\n")
	if got := c.got.String(); strings.Count(got, "okapi") != 1 || strings.Count(got, "(busy)") != 0 {
		t.Errorf("answered with %s", got)
	}
	all, err := ops.OpMessages.Call(t.Context(), svc, ops.MessagesRequest{Agent: "bob", Unread: true})
	if err != nil || len(all) != 0 {
		t.Errorf("%d are unread, %v", len(all), err)
	}
}

// TestInboxHasNoKey: an inbox that is asked for again under its idempotency key hands over what has
// come since, while a write under a key stays one.
func TestInboxHasNoKey(t *testing.T) {
	svc, _ := memory(t)
	keys := map[string]string{}
	var mu sync.Mutex
	noting := func(ctx context.Context, c api.Call) (any, error) {
		mu.Lock()
		keys[c.Op.Name] += c.Key
		mu.Unlock()
		return svc(ctx, c)
	}
	if _, err := ops.OpMessageSend.Call(t.Context(), svc, ops.MessageSendRequest{To: "bob", Subject: "one", Body: "x", Known: true}); err != nil {
		t.Fatal(err)
	}
	keyed := func(line string) string {
		return strings.Replace(line, `"params":{`, `"params":{"_meta":{"io.github.fovea-memory/idempotency-key":"k"},`, 1) + "\n"
	}
	const remember = `{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"remember","arguments":{"title":"a"}}}`
	attend(t, noting, "bob", &client{}, greetLines+keyed(inboxLine)+keyed(againLine)+keyed(remember))
	if read, has := keys[ops.OpMessageRead.Name]; !has || read != "" || keys[api.OpRemember.Name] != "k" {
		t.Errorf("keys by operation: %q", keys)
	}
}

// TestHandedOverWhole: what is marked as read stands whole in the answer, however large the
// messages are; the rest comes with the next call.
func TestHandedOverWhole(t *testing.T) {
	svc, _ := memory(t)
	const large = 60_000
	for i := range 5 {
		req := ops.MessageSendRequest{To: "bob", Subject: "large", Body: strings.Repeat(string(rune('a'+i)), large), Known: true}
		if _, err := ops.OpMessageSend.Call(t.Context(), svc, req); err != nil {
			t.Fatal(err)
		}
	}
	got := 0
	for range 5 {
		c := &client{}
		attend(t, svc, "bob", c, greetLines+inboxLine+"\n")
		now := 0
		for i := range 5 {
			if strings.Contains(c.got.String(), strings.Repeat(string(rune('a'+i)), large)) {
				now++
			}
		}
		got += now
		if all, err := ops.OpMessages.Call(t.Context(), svc, ops.MessagesRequest{Agent: "bob", Unread: true}); err != nil || len(all) != 5-got {
			t.Fatalf("%d of 5 came whole, and %d are unread, %v", got, len(all), err)
		}
	}
	if got != 5 {
		t.Errorf("%d of 5 came whole", got)
	}
}
