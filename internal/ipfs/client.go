// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package ipfs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode"
)

// Deadline is how long a daemon may do nothing: before it begins to answer, and between two parts
// of a stream. The time that Fovea itself takes to make or to keep the next part does not count.
// Behind a large request it has as long again for each half MiB that was sent, up to 8 MiB: what
// it has not written yet.
const Deadline = 5 * time.Second

// maxMessage bounds what is read of an error, and of an answer that is one value.
const maxMessage = 64 << 10

// Client speaks to the daemon at one address. It is safe for concurrent use.
type Client struct {
	// Deadline replaces the constant of this name if it is not 0.
	Deadline time.Duration

	address string // scheme, host and port
	http    *http.Client
}

// NewClient returns a client for an address as ParseAddress returns it. It opens no connection.
func NewClient(address string) *Client {
	return &Client{address: address, http: &http.Client{
		Transport: &http.Transport{ // no proxy: what is sent to a daemon is for it alone
			DialContext:            (&net.Dialer{Timeout: Deadline}).DialContext,
			MaxResponseHeaderBytes: maxMessage,
			DisableCompression:     true,
			MaxIdleConns:           4,
			IdleConnTimeout:        10 * time.Second,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return ErrAnswer },
	}}
}

// Address returns the address of the daemon.
func (c *Client) Address() string { return c.address }

// Close closes connections that are idle.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// watch ends a call that makes no progress.
type watch struct {
	timer *time.Timer
	limit time.Duration
	end   context.CancelCauseFunc
}

func (c *Client) watch(ctx context.Context) (context.Context, *watch) {
	limit := c.Deadline
	if limit == 0 {
		limit = Deadline
	}
	ctx, end := context.WithCancelCause(ctx)
	w := &watch{limit: limit, end: end}
	w.timer = time.AfterFunc(limit, func() { end(fmt.Errorf("for %v: %w", limit, ErrSlow)) })
	return ctx, w
}

// goes says that something went on, and that the next is up to the daemon.
func (w *watch) goes() { w.timer.Reset(w.limit) }

// rests says that the next is up to this program.
func (w *watch) rests() { w.timer.Stop() }

func (w *watch) stop() {
	w.timer.Stop()
	w.end(nil)
}

// buffered is how many bytes of a request may wait between the two programs, and perBuffered for
// how many of them a daemon has the deadline once more when all was sent.
// A daemon writes some thousand small blocks a second, each a file.
const buffered, perBuffered = 8 << 20, 512 << 10

// watched is a stream whose reader reports progress.
type watched struct {
	io.Reader
	*watch
	sent int
}

func (r *watched) Read(b []byte) (int, error) {
	r.rests()
	n, err := r.Reader.Read(b)
	r.sent = min(r.sent+n, buffered)
	switch {
	case err == io.EOF: // a part of it is still on the way
		r.timer.Reset(r.limit * time.Duration(1+r.sent/perBuffered))
	default:
		r.goes()
	}
	return n, err
}

// answer is the stream that a daemon answers with.
type answer struct {
	from *http.Response
	ctx  context.Context
	*watch
	err error
}

// call sends a request and returns its answer once that begins. Errors: ErrDown, ErrSlow,
// ErrDaemon, ErrAnswer, that of the context.
func (c *Client) call(ctx context.Context, name string, args url.Values, body io.Reader, kind string) (*answer, error) {
	ctx, w := c.watch(ctx)
	var sent io.Reader
	if body != nil {
		sent = &watched{Reader: body, watch: w}
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.address+"/api/v0/"+name+"?"+args.Encode(), sent)
	if err != nil {
		w.stop()
		return nil, fmt.Errorf("%s: %w", c.address, ErrAddress)
	}
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	res, err := c.http.Do(req)
	if err != nil {
		err = c.explain(ctx, err)
		w.stop()
		return nil, err
	}
	w.rests()
	a := &answer{from: res, ctx: ctx, watch: w}
	if res.StatusCode != http.StatusOK {
		err := a.refusal(c.address)
		a.Close()
		return nil, err
	}
	return a, nil
}

// explain says why there is no answer.
func (c *Client) explain(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return fmt.Errorf("%s: %w", c.address, cause)
	}
	_, dial := errors.AsType[*net.OpError](err)
	switch {
	case errors.Is(err, ErrAnswer):
		return fmt.Errorf("%s: %w", c.address, ErrAnswer)
	case dial:
		return fmt.Errorf("%s: %w", c.address, ErrDown)
	}
	return fmt.Errorf("%s: %w: %s", c.address, ErrDown, oneLine(err.Error()))
}

// refusal is the error that an answer is.
func (a *answer) refusal(address string) error {
	text, err := io.ReadAll(io.LimitReader(a, maxMessage))
	if errors.Is(err, ErrSlow) {
		return fmt.Errorf("%s: %w", address, err)
	}
	var said struct{ Message, Type string }
	if json.Unmarshal(text, &said) != nil || said.Message == "" {
		return fmt.Errorf("%s: status %d: %w", address, a.from.StatusCode, ErrAnswer)
	}
	return fmt.Errorf("%w: %s", ErrDaemon, oneLine(said.Message))
}

// Read reads the answer. Its end is io.EOF only if the daemon has reported no error.
func (a *answer) Read(b []byte) (int, error) {
	if a.err != nil {
		return 0, a.err
	}
	a.goes()
	n, err := a.from.Body.Read(b)
	a.rests()
	switch said := a.from.Trailer.Get("X-Stream-Error"); {
	case err == nil:
		return n, nil
	case context.Cause(a.ctx) != nil:
		a.err = context.Cause(a.ctx)
	case err == io.EOF && said != "":
		a.err = fmt.Errorf("%w: %s", ErrDaemon, oneLine(said))
	case err == io.EOF:
		a.err = io.EOF
	default:
		a.err = fmt.Errorf("the daemon ends within its answer: %w", ErrDown)
	}
	return n, a.err
}

// Close ends the call.
func (a *answer) Close() {
	a.stop()
	_ = a.from.Body.Close() // it was only read
}

// value reads an answer that is one JSON value.
func (a *answer) value(into any) error {
	defer a.Close()
	text, err := io.ReadAll(io.LimitReader(a, maxMessage))
	if err == nil && json.Unmarshal(text, into) != nil {
		err = ErrAnswer
	}
	return err
}

// oneLine makes what a daemon says safe to print.
func oneLine(text string) string {
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }), " ")
	const most = 300
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "..."
	}
	return text
}
