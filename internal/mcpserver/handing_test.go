// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package mcpserver_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"sync"
	"testing"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/api/agents"
	"github.com/fovea-memory/fovea/api/trust"
	"github.com/fovea-memory/fovea/internal/mcpserver"
	"github.com/fovea-memory/fovea/internal/rpcline"
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
	s := mcpserver.New(trust.Guarded(svc), &mcpserver.Options{Acting: granted(agent)})
	in := io.NopCloser(bytes.NewReader([]byte(lines)))
	_ = s.Run(t.Context(), &rpcline.Transport{In: in, Out: c}) // it ends with the client
}

const (
	greetLines = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26",` +
		`"capabilities":{},"clientInfo":{"name":"x","version":"1"}}}` + "\n" +
		`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"
	inboxLine = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"history","arguments":{"action":"inbox"}}}`
	againLine = `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"history","arguments":{"action":"inbox"}}}`
)

// TestMarkedWhenWritten: messages are marked as read once their answer was written to the client,
// in a batch as well; where it could not be, they stay unread.
func TestMarkedWhenWritten(t *testing.T) {
	svc, _ := memory(t)
	unread := func() int {
		t.Helper()
		all, err := agents.OpMessages.Call(context.Background(), svc, agents.MessagesRequest{Agent: "bob", Unread: true})
		if err != nil {
			t.Fatal(err)
		}
		return len(all)
	}
	send := func(subject string) {
		t.Helper()
		if _, err := agents.OpMessageSend.Call(t.Context(), svc, agents.MessageSendRequest{To: "bob", Subject: subject, Known: true}); err != nil {
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
	attend(t, svc, "bob", c, greetLines+"["+inboxLine+","+againLine+"]\n")
	if n := unread(); n != 0 || !bytes.Contains(c.got.Bytes(), []byte("okapi")) {
		t.Errorf("in a batch: %d are unread after %s", n, c.got.Bytes())
	}
	send("quokka")
	c = &client{}
	other := `{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"history","arguments":{"action":"tasks"}}}`
	attend(t, svc, "bob", c, greetLines+"["+inboxLine+","+other+"]\n")
	if n := unread(); n != 0 || !bytes.Contains(c.got.Bytes(), []byte("quokka")) {
		t.Errorf("in a batch with another call: %d are unread after %s", n, c.got.Bytes())
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
