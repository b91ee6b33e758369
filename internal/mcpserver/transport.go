// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package mcpserver

import (
	"bufio"
	"bytes"
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
	// Arrived is called with the result of each response: once it was written, or with ok
	// false once it is certain that it was not, or that the client had cancelled the call and
	// takes no notice of it. nil is not called. It must not write to the session.
	Arrived func(result json.RawMessage, ok bool)
}

// Connect starts reading.
func (t *Transport) Connect(context.Context) (mcp.Connection, error) {
	c := &connection{
		in: t.In, out: t.Out, lines: make(chan line), closed: make(chan struct{}),
		pending: map[jsonrpc.ID]pendingCall{}, sent: make(chan struct{}, 1), arrived: t.Arrived,
	}
	go c.readLines()
	return c, nil
}

// connection is one session. Read must not be called concurrently.
type connection struct {
	in            io.ReadCloser
	out           io.WriteCloser
	lines         chan line
	queue         []jsonrpc.Message // messages that Read has not returned yet
	allowsBatches bool              // the protocol revision of the client has batches
	closed        chan struct{}
	once          sync.Once
	closeErr      error // result of Close

	sent    chan struct{} // has a value after a call was answered
	arrived func(result json.RawMessage, ok bool)

	mu        sync.Mutex
	reporting int                        // responses that are written and not reported
	pending   map[jsonrpc.ID]pendingCall // calls without a response yet
}

// pendingCall is a call without a response yet.
type pendingCall struct {
	batch     *batch // nil outside a batch
	streaming bool   // answered only when the client disconnects
	cancelled bool   // the client ignores the answer
}

// batch collects the responses to a batch.
type batch struct {
	remaining int // calls without a response yet
	responses [][]byte
	results   []result // of the responses, for Transport.Arrived
}

// result is the result of a response, nil for an error.
type result struct {
	json      json.RawMessage
	cancelled bool
}

// SessionID returns "", because there is only one session.
func (c *connection) SessionID() string { return "" }

// Close ends the connection.
func (c *connection) Close() error {
	c.once.Do(func() {
		close(c.closed)
		c.closeErr = c.in.Close()
		if err := c.out.Close(); c.closeErr == nil {
			c.closeErr = err
		}
	})
	return c.closeErr
}

// Read returns the next valid message, and answers invalid ones. Errors: io.EOF at the
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
				c.waitForPending(ctx)
				return nil, l.err
			}
			if err := c.handleLine(l); err != nil {
				return nil, err
			}
		}
	}
	next := c.queue[0]
	c.queue = c.queue[1:]
	return next, nil
}

// waitForPending returns when all calls received before the end of the input have been
// answered. The SDK abandons pending calls at the end of the input, although the client
// may still read.
func (c *connection) waitForPending(ctx context.Context) {
	for c.hasPending() {
		select {
		case <-ctx.Done():
			return
		case <-c.closed:
			return
		case <-c.sent:
		}
	}
}

func (c *connection) hasPending() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, one := range c.pending {
		if !one.streaming {
			return true
		}
	}
	return c.reporting > 0
}

// handleLine decodes a line, queues its valid messages and answers the invalid ones.
func (c *connection) handleLine(l line) error {
	if l.tooLong {
		return c.writeLine(parseError("a line has at most %d bytes", maxLine).Response())
	}
	messages, refusals, isBatch, whole := Check(l.text)
	if whole == nil && isBatch && !c.allowsBatches {
		whole = invalidRequest(nil, "this revision of the protocol does not allow batches")
	}
	if whole != nil {
		return c.writeLine(whole.Response())
	}
	var b *batch
	if isBatch {
		b = &batch{}
	}
	for i, m := range messages {
		refusal := refusals[i]
		if refusal == nil {
			refusal = c.register(m, b)
		}
		switch {
		case refusal == nil:
			c.queue = append(c.queue, m)
		case b == nil:
			return c.writeLine(refusal.Response())
		default:
			c.mu.Lock()
			b.responses = append(b.responses, refusal.Response())
			c.mu.Unlock()
		}
	}
	if b == nil {
		return nil
	}
	c.mu.Lock()
	text, _ := b.whole() // of refusals alone; else the last response is still to come
	c.mu.Unlock()
	if text == nil {
		return nil
	}
	return c.writeLine(text)
}

// register adds a call to the pending ones. It refuses a call with the id of a pending
// one, because their responses could not be distinguished.
func (c *connection) register(m jsonrpc.Message, b *batch) *Refusal {
	r, ok := m.(*jsonrpc.Request)
	if !ok {
		return nil
	}
	if r.Method == "initialize" {
		var asked struct {
			ProtocolVersion string `json:"protocolVersion"`
		}
		_ = json.Unmarshal(r.Params, &asked) // the server reports the error
		c.allowsBatches = asked.ProtocolVersion == "2025-03-26" || asked.ProtocolVersion == "2024-11-05"
	}
	if r.Method == "notifications/cancelled" {
		c.noteCancelled(r.Params)
	}
	if !r.IsCall() {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, exists := c.pending[r.ID]; exists {
		return invalidRequest(nil, "the call %v is not answered yet; use another id", r.ID.Raw())
	}
	c.pending[r.ID] = pendingCall{batch: b, streaming: r.Method == "subscriptions/listen"}
	if b != nil {
		b.remaining++
	}
	return nil
}

// noteCancelled marks the call that a notification cancels.
func (c *connection) noteCancelled(params json.RawMessage) {
	var of struct {
		ID any `json:"requestId"`
	}
	_ = json.Unmarshal(params, &of) // the server reports the error
	id, err := jsonrpc.MakeID(of.ID)
	c.mu.Lock()
	defer c.mu.Unlock()
	if one, ok := c.pending[id]; ok && err == nil {
		one.cancelled = true
		c.pending[id] = one
	}
}

// Write sends a message. The responses to a batch are sent together. It is safe for
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
		return c.writeLine(text)
	}
	c.mu.Lock()
	call := c.pending[r.ID]
	delete(c.pending, r.ID)
	c.reporting++
	results := []result{{r.Result, call.cancelled}}
	if b := call.batch; b != nil {
		b.remaining--
		b.responses, b.results = append(b.responses, text), append(b.results, results...)
		text, results = b.whole() // for the last one alone: who writes the line reports it
	}
	c.mu.Unlock()
	defer c.reported()
	if text == nil {
		return nil
	}
	err = c.writeLine(text)
	for _, one := range results {
		if one.json != nil && c.arrived != nil {
			c.arrived(one.json, err == nil && !one.cancelled)
		}
	}
	return err
}

// reported ends what Write does for a response.
func (c *connection) reported() {
	c.mu.Lock()
	c.reporting--
	c.mu.Unlock()
	select {
	case c.sent <- struct{}{}:
	default: // a wake-up is pending
	}
}

// whole returns the line of a batch and the results in it, once: when all responses are
// there. Before, and of a batch that wants no response, it returns nil. The caller holds the
// lock of the connection.
func (b *batch) whole() ([]byte, []result) {
	if b.remaining > 0 || len(b.responses) == 0 {
		return nil, nil
	}
	text := append(append([]byte{'['}, bytes.Join(b.responses, []byte{','})...), ']')
	b.responses = nil
	return text, b.results
}

// writeLine sends one line.
func (c *connection) writeLine(text []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, err := c.out.Write(append(text, '\n'))
	return err
}

// maxLine is the largest length of a line in bytes. A call with the largest note takes
// less than a hundredth of it.
const maxLine = 16 << 20

// line is an input line.
type line struct {
	text    []byte
	tooLong bool // more than maxLine, and passed over
	err     error
}

// readLines delivers the lines that are not blank, until an error or the end.
func (c *connection) readLines() {
	r := bufio.NewReaderSize(c.in, 64<<10)
	for first := true; ; first = false {
		l := readLine(r)
		if first {
			l.text = bytes.TrimPrefix(l.text, []byte("\ufeff")) // a byte order mark
		}
		end := l.err
		if l.tooLong || len(bytes.TrimSpace(l.text)) > 0 {
			l.err = nil // what stands before the end counts
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

// RecoverPanics returns middleware that turns a panic of a handler into an error response
// and logs it with the stack. The SDK runs handlers in its own goroutines, where a panic
// would end the process. A nil log discards the record.
func RecoverPanics(log *slog.Logger) mcp.Middleware {
	return func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (res mcp.Result, err error) {
			defer func() {
				if why := recover(); why != nil {
					logPanic(log, method, why)
					res, err = nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: method +
						" failed because of a bug in Fovea. Next: ask the owner to report what the log says (serve.log in the state folder, or standard error)"}
				}
			}()
			return next(ctx, method, req)
		}
	}
}

// LogPanic is deferred by background functions. It recovers from a panic and logs it; a
// nil log discards the record.
func LogPanic(log *slog.Logger, what string) {
	if why := recover(); why != nil {
		logPanic(log, what, why)
	}
}

func logPanic(log *slog.Logger, what string, why any) {
	if log != nil {
		log.Error("panic", "in", what, "why", why, "stack", string(debug.Stack()))
	}
}
