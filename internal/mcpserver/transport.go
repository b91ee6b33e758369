// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package mcpserver

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"runtime/debug"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Transport carries messages over a reader and a writer, such as standard input and
// output. The connection closes both. Each line is written in one call of Write.
type Transport struct {
	In  io.ReadCloser
	Out io.WriteCloser
	// Arrived, if not nil, is called with the result of each response: after it was written, or with ok false if it
	// certainly was not or the client had cancelled the call. It must not write to the session.
	Arrived func(result json.RawMessage, ok bool)
}

// Connect starts reading.
func (t *Transport) Connect(context.Context) (mcp.Connection, error) {
	c := &connection{
		out: t.Out, arrived: t.Arrived, lines: make(chan line), closed: make(chan struct{}), pending: map[jsonrpc.ID]*pendingCall{},
	}
	c.end = sync.OnceValue(func() error {
		close(c.closed)
		return errors.Join(t.In.Close(), t.Out.Close())
	})
	go c.readLines(t.In)
	return c, nil
}

// connection is one session. Read must not be called concurrently.
type connection struct {
	out     io.WriteCloser
	arrived func(result json.RawMessage, ok bool)
	lines   chan line
	closed  chan struct{}
	end     func() error   // closes the connection
	answers sync.WaitGroup // calls to answer before the end; see awaitAnswers

	mu      sync.Mutex
	pending map[jsonrpc.ID]*pendingCall // calls without a response yet
}

// pendingCall is a call without a response yet.
type pendingCall struct {
	streaming bool // answered only when the client disconnects
	cancelled bool // the client ignores the answer
}

// SessionID returns "", because there is only one session.
func (c *connection) SessionID() string { return "" }

// Close ends the connection.
func (c *connection) Close() error { return c.end() }

// Read returns the next valid message, and answers invalid ones. Errors: io.EOF, those of reader, writer and context.
func (c *connection) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-c.closed:
			return nil, io.EOF
		case l := <-c.lines:
			if l.err != nil {
				c.awaitAnswers(ctx)
				return nil, l.err
			}
			m, refusal := c.accept(l)
			if refusal == nil {
				return m, nil
			}
			if err := c.writeLine(refusal.Response()); err != nil {
				return nil, err
			}
		}
	}
}

// awaitAnswers returns when all calls received before the end of the input are answered. The SDK would abandon them,
// although the client may still read.
func (c *connection) awaitAnswers(ctx context.Context) {
	answered := make(chan struct{})
	go func() {
		c.answers.Wait()
		close(answered)
	}()
	select {
	case <-ctx.Done():
	case <-c.closed:
	case <-answered:
	}
}

// accept returns the message of a line. It refuses a call with the id of a pending one: their answers would be ambiguous.
func (c *connection) accept(l line) (jsonrpc.Message, *Refusal) {
	if l.tooLong {
		return nil, parseError("a line has at most %d bytes", maxLine)
	}
	m, refusal := Check(l.text)
	r, ok := m.(*jsonrpc.Request)
	if refusal != nil || !ok {
		return m, refusal
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if r.Method == "notifications/cancelled" {
		c.noteCancelled(r.Params)
	}
	if !r.IsCall() {
		return m, nil
	}
	if c.pending[r.ID] != nil {
		return nil, invalidRequest(nil, "the call %v is not answered yet; use another id", r.ID.Raw())
	}
	call := &pendingCall{streaming: r.Method == "subscriptions/listen"}
	if c.pending[r.ID] = call; !call.streaming {
		c.answers.Add(1)
	}
	return m, nil
}

// noteCancelled marks the call that a notification cancels. c.mu is held.
func (c *connection) noteCancelled(params json.RawMessage) {
	var of struct {
		ID any `json:"requestId"`
	}
	_ = json.Unmarshal(params, &of) // the server reports the error
	id, err := jsonrpc.MakeID(of.ID)
	if call := c.pending[id]; call != nil && err == nil {
		call.cancelled = true
	}
}

// Write sends a message. It is safe for concurrent use.
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
		return c.writeLine(text)
	}
	c.mu.Lock()
	call := c.pending[r.ID]
	delete(c.pending, r.ID)
	c.mu.Unlock()
	if call != nil && !call.streaming {
		defer c.answers.Done()
	}
	err = c.writeLine(text)
	if r.Result != nil && c.arrived != nil {
		c.arrived(r.Result, err == nil && (call == nil || !call.cancelled))
	}
	return err
}

// writeLine sends one line.
func (c *connection) writeLine(text []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, err := c.out.Write(append(text, '\n'))
	return err
}

// maxLine is the largest length of a line in bytes, a hundred times that of the largest note.
const maxLine = 16 << 20

// line is an input line.
type line struct {
	text    []byte
	tooLong bool // longer than maxLine, and skipped
	err     error
}

// readLines delivers the lines that are not blank, until an error or the end.
func (c *connection) readLines(in io.Reader) {
	r := bufio.NewReaderSize(in, 64<<10)
	for first := true; ; first = false {
		l := readLine(r)
		if first {
			l.text = bytes.TrimPrefix(l.text, []byte("\ufeff")) // a byte order mark
		}
		end := l.err
		if l.tooLong || len(bytes.TrimSpace(l.text)) > 0 {
			l.err = nil // the text before the end counts
			if !c.deliver(l) {
				return
			}
		}
		if end != nil {
			c.deliver(line{err: end})
			return
		}
	}
}

// deliver passes a line to Read and returns false if the connection is closed.
func (c *connection) deliver(l line) bool {
	select {
	case c.lines <- l:
		return true
	case <-c.closed:
		return false
	}
}

// readLine reads one line. It drops the text of a line that is too long.
func readLine(r *bufio.Reader) (l line) {
	for {
		part, err := r.ReadSlice('\n')
		if l.tooLong = l.tooLong || len(l.text)+len(part) > maxLine; l.tooLong {
			l.text = nil
		} else {
			l.text = append(l.text, part...)
		}
		if err == nil {
			return l
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			l.err = err
			return l
		}
	}
}

// Refuse answers each call with an error whose message is why, until the client
// disconnects or the context is done. Errors: those of the reader and the writer.
func Refuse(ctx context.Context, t *Transport, why string) error {
	c, err := t.Connect(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	for {
		m, err := c.Read(ctx)
		if err != nil {
			if errors.Is(err, io.EOF) || ctx.Err() != nil {
				err = nil
			}
			return err
		}
		if r, ok := m.(*jsonrpc.Request); ok && r.IsCall() {
			if err := c.Write(ctx, &jsonrpc.Response{ID: r.ID, Error: &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: why}}); err != nil {
				return err
			}
		}
	}
}

// RecoverPanics returns middleware that turns a panic of a handler into an error response and logs it with the stack: in
// a goroutine of the SDK it would end the process. A nil log discards the record.
func RecoverPanics(log *slog.Logger) mcp.Middleware {
	log = cmp.Or(log, slog.New(slog.DiscardHandler))
	return func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (res mcp.Result, err error) {
			defer func() {
				if why := recover(); why != nil {
					log.Error("panic", "in", method, "why", why, "stack", string(debug.Stack()))
					res, err = nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: method +
						" failed because of a bug in Fovea. Next: ask the owner to report what the log has (serve.log in the state folder, or standard error)"}
				}
			}()
			return next(ctx, method, req)
		}
	}
}
