// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package mcpserver_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fovea-memory/fovea/internal/mcpserver"
)

// gone is a line that takes nothing.
type gone struct{}

func (gone) Write([]byte) (int, error) { return 0, errors.New("gone") }
func (gone) Close() error              { return nil }

// received connects a transport to a line that sends lines, and reads all their messages.
func received(t *testing.T, transport mcpserver.Transport, lines ...string) (mcp.Connection, []*jsonrpc.Request) {
	t.Helper()
	in, send := io.Pipe()
	transport.In = in
	c, err := transport.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	const last = `{"jsonrpc":"2.0","method":"last"}`
	go func() { _, _ = io.WriteString(send, strings.Join(append(lines, last), "\n")+"\n") }()
	var all []*jsonrpc.Request
	for {
		m, err := c.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		r := m.(*jsonrpc.Request)
		if r.Method == "last" {
			return c, all
		}
		all = append(all, r)
	}
}

// TestResponsesThatCannotBeWritten: no response counts as arrived whose line could not be written,
// however many are written at once.
func TestResponsesThatCannotBeWritten(t *testing.T) {
	const calls = 16
	lines := make([]string, calls)
	for i := range lines {
		lines[i] = fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, i)
	}
	for range 200 {
		var arrived, lost atomic.Int32
		c, all := received(t, mcpserver.Transport{Out: gone{}, Arrived: func(_ json.RawMessage, ok bool) {
			if ok {
				arrived.Add(1)
			} else {
				lost.Add(1)
			}
		}}, lines...)
		var wg sync.WaitGroup
		for _, r := range all {
			wg.Go(func() { _ = c.Write(context.Background(), &jsonrpc.Response{ID: r.ID, Result: json.RawMessage(`{}`)}) })
		}
		wg.Wait()
		if arrived.Load() != 0 || lost.Load() != calls {
			t.Fatalf("%d responses arrived and %d did not at a line that is gone, of %d", arrived.Load(), lost.Load(), calls)
		}
	}
}

// TestCancelledDidNotArrive: the response to a call that the line has cancelled does not count as
// arrived, because clients ignore it.
func TestCancelledDidNotArrive(t *testing.T) {
	got := map[string]bool{}
	c, all := received(t, mcpserver.Transport{Out: closing{io.Discard}, Arrived: func(result json.RawMessage, ok bool) { got[string(result)] = ok }},
		`{"jsonrpc":"2.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","id":"b","method":"ping"}`, `{"jsonrpc":"2.0","id":3,"method":"ping"}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"b"}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}`, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":7}`)
	for i, r := range all[:3] {
		if err := c.Write(t.Context(), &jsonrpc.Response{ID: r.ID, Result: json.RawMessage(fmt.Sprint(i))}); err != nil {
			t.Fatal(err)
		}
	}
	if len(got) != 3 || got["0"] || got["1"] || !got["2"] {
		t.Errorf("arrived: %v", got)
	}
}
