// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package rpcline

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Transport carries messages over a reader and a writer, such as standard input and
// output. Both are closed with the connection. A line is written in one call of Write.
type Transport struct {
	In  io.ReadCloser
	Out io.WriteCloser
}

// Connect begins to read.
func (t *Transport) Connect(context.Context) (mcp.Connection, error) {
	c := &connection{
		in: t.In, out: t.Out, lines: make(chan line), closed: make(chan struct{}),
		open: map[jsonrpc.ID]call{}, answered: make(chan struct{}, 1),
	}
	go c.read()
	return c, nil
}

// connection is one session. Read is for one goroutine at a time.
type connection struct {
	in     io.ReadCloser
	out    io.WriteCloser
	lines  chan line
	queue  []jsonrpc.Message // of a batch, not given out yet
	old    bool              // the client speaks a revision that has batches
	closed chan struct{}
	once   sync.Once
	failed error // of closing

	answered chan struct{} // has one when a call was answered since somebody looked

	mu   sync.Mutex
	open map[jsonrpc.ID]call // those that are not answered yet
}

// call is one that is not answered yet.
type call struct {
	of    *batch // nil for one that came alone
	lasts bool   // as long as the client is there
}

// batch gathers the answers to one.
type batch struct {
	left    int // calls that are not answered yet
	answers []json.RawMessage
}

// SessionID returns "": there is one session.
func (c *connection) SessionID() string { return "" }

// Close ends the connection.
func (c *connection) Close() error {
	c.once.Do(func() {
		close(c.closed)
		c.failed = c.in.Close()
		if err := c.out.Close(); c.failed == nil {
			c.failed = err
		}
	})
	return c.failed
}

// Read returns the next message. What is none is answered here. Errors: io.EOF at the
// end, and those of the reader, the writer and the context.
func (c *connection) Read(ctx context.Context) (jsonrpc.Message, error) {
	for len(c.queue) == 0 {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-c.closed:
			return nil, io.EOF
		case l := <-c.lines:
			if l.err != nil {
				c.settle(ctx)
				return nil, l.err
			}
			if err := c.take(l); err != nil {
				return nil, err
			}
		}
	}
	next := c.queue[0]
	c.queue = c.queue[1:]
	return next, nil
}

// settle returns when the calls are answered that came before the end: the SDK gives them
// up when it hears of it, though the client may still read.
func (c *connection) settle(ctx context.Context) {
	for c.busy() {
		select {
		case <-ctx.Done():
			return
		case <-c.closed:
			return
		case <-c.answered:
		}
	}
}

func (c *connection) busy() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, one := range c.open {
		if !one.lasts {
			return true
		}
	}
	return false
}

// take reads a line, queues its messages and answers what is none.
func (c *connection) take(l line) error {
	if l.long {
		return c.write(unreadable("a line has at most %d bytes", maxLine).Line())
	}
	messages, refusals, isBatch, whole := Check(l.text)
	if whole == nil && isBatch && !c.old {
		whole = invalid(nil, "this revision of the protocol does not allow batches")
	}
	if whole != nil {
		return c.write(whole.Line())
	}
	var of *batch
	if isBatch {
		of = &batch{}
	}
	for i, m := range messages {
		refusal := refusals[i]
		if refusal == nil {
			refusal = c.admit(m, of)
		}
		switch {
		case refusal == nil:
			c.queue = append(c.queue, m)
		case of == nil:
			return c.write(refusal.Line())
		default:
			c.mu.Lock()
			of.answers = append(of.answers, refusal.Line())
			c.mu.Unlock()
		}
	}
	return c.finish(of)
}

// admit notes a call, or refuses one under an id that another call has which is not
// answered yet: the answers could not be told apart.
func (c *connection) admit(m jsonrpc.Message, of *batch) *Refusal {
	r, ok := m.(*jsonrpc.Request)
	if !ok {
		return nil
	}
	if r.Method == "initialize" {
		var asked struct {
			ProtocolVersion string `json:"protocolVersion"`
		}
		_ = json.Unmarshal(r.Params, &asked) // the server says what is wrong with it
		c.old = asked.ProtocolVersion == "2025-03-26" || asked.ProtocolVersion == "2024-11-05"
	}
	if !r.IsCall() {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, under := c.open[r.ID]; under {
		return invalid(nil, "the call %v is not answered yet; use another id", r.ID.Raw())
	}
	c.open[r.ID] = call{of, r.Method == "subscriptions/listen"}
	if of != nil {
		of.left++
	}
	return nil
}

// Write sends a message. The answers to a batch are sent together. It is safe for
// concurrent use.
func (c *connection) Write(ctx context.Context, m jsonrpc.Message) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	text, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return err
	}
	r, ok := m.(*jsonrpc.Response)
	if !ok {
		return c.write(text)
	}
	c.mu.Lock()
	of := c.open[r.ID].of
	delete(c.open, r.ID)
	if of != nil {
		of.left--
		of.answers = append(of.answers, text)
	}
	c.mu.Unlock()
	defer func() { // when it is written
		select {
		case c.answered <- struct{}{}:
		default: // somebody is told already
		}
	}()
	if of == nil {
		return c.write(text)
	}
	return c.finish(of)
}

// finish sends the answers to a batch when all are there.
func (c *connection) finish(of *batch) error {
	if of == nil {
		return nil
	}
	c.mu.Lock()
	var text []byte
	if of.left == 0 && len(of.answers) > 0 {
		text = append(append([]byte{'['}, bytes.Join(raws(of.answers), []byte{','})...), ']')
		of.answers = nil
	}
	c.mu.Unlock()
	if text == nil {
		return nil
	}
	return c.write(text)
}

func raws(answers []json.RawMessage) [][]byte {
	out := make([][]byte, len(answers))
	for i, a := range answers {
		out[i] = a
	}
	return out
}

// write sends one line.
func (c *connection) write(text []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, err := c.out.Write(append(text, '\n'))
	return err
}
