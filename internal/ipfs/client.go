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

	"github.com/fovea-memory/fovea/internal/text"
	"github.com/fovea-memory/fovea/internal/transfer"
)

// Deadline is how long a call may wait without progress (package transfer).
const Deadline = 5 * time.Second

// maxMessage bounds the bytes of an error, and of an answer that is one value.
const maxMessage = 64 << 10

// Client is a client of the daemon at one address. It is safe for concurrent use.
type Client struct {
	Link    *transfer.Transport // may be changed before the first call
	address string              // scheme, host and port
	http    *http.Client
}

// NewClient returns a client for an address as ParseAddress returns it. It opens no connection.
func NewClient(address string) *Client {
	base := transfer.Direct()
	base.Proxy = nil // only the daemon may see the requests
	base.MaxResponseHeaderBytes, base.DisableCompression = maxMessage, true
	base.MaxIdleConns, base.IdleConnTimeout = 4, 10*time.Second
	link := &transfer.Transport{Base: base, Limit: Deadline, Err: ErrSlow, Rate: func(r *http.Request) int {
		if strings.HasSuffix(r.URL.Path, "/pin/add") {
			return 16 // it reports progress twice a second
		}
		return transfer.MinRate
	}}
	return &Client{address: address, Link: link, http: transfer.NewClient(link)}
}

// Address returns the address of the daemon.
func (c *Client) Address() string { return c.address }

// Close closes idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// answer is the stream of a daemon's answer.
type answer struct {
	from *http.Response
	ctx  context.Context
	err  error
}

// call sends a request and returns once the answer begins. Errors: ErrDown, ErrSlow,
// ErrDaemon, ErrAnswer, that of the context.
func (c *Client) call(ctx context.Context, name string, args url.Values, body io.Reader, kind string) (*answer, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.address+"/api/v0/"+name+"?"+args.Encode(), body)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.address, ErrAddress)
	}
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	res, err := c.http.Do(req)
	if err != nil {
		return nil, c.explain(ctx, err)
	}
	a := &answer{from: res, ctx: ctx}
	if res.StatusCode != http.StatusOK {
		err := a.refusal(c.address)
		a.Close()
		return nil, err
	}
	return a, nil
}

// ask is call for an answer of one JSON value.
func (c *Client) ask(ctx context.Context, name string, args url.Values, into any) error {
	a, err := c.call(ctx, name, args, nil, "")
	if err != nil {
		return err
	}
	defer a.Close()
	text, err := io.ReadAll(io.LimitReader(a, maxMessage))
	if err == nil && json.Unmarshal(text, into) != nil {
		err = ErrAnswer
	}
	return err
}

// explain returns the reason why there is no answer.
func (c *Client) explain(ctx context.Context, err error) error {
	_, dial := errors.AsType[*net.OpError](err)
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("%s: %w", c.address, context.Cause(ctx))
	case errors.Is(err, ErrSlow):
		return transfer.Plain(err)
	case dial:
		return fmt.Errorf("%s: %w", c.address, ErrDown)
	}
	return fmt.Errorf("%s: %w: %s", c.address, ErrDown, oneLine(err.Error()))
}

// refusal returns the error in an answer.
func (a *answer) refusal(address string) error {
	text, err := io.ReadAll(io.LimitReader(a, maxMessage))
	if errors.Is(err, ErrSlow) {
		return err
	}
	var refused struct{ Message, Type string }
	if json.Unmarshal(text, &refused) != nil || refused.Message == "" {
		return fmt.Errorf("%s: status %d: %w", address, a.from.StatusCode, ErrAnswer)
	}
	return fmt.Errorf("%w: %s", ErrDaemon, oneLine(refused.Message))
}

// Read reads the answer. It ends with io.EOF only if the daemon reports no error.
func (a *answer) Read(b []byte) (int, error) {
	if a.err != nil {
		return 0, a.err
	}
	n, err := a.from.Body.Read(b)
	switch report := a.from.Trailer.Get("X-Stream-Error"); {
	case err == nil:
		return n, nil
	case a.ctx.Err() != nil:
		a.err = context.Cause(a.ctx)
	case errors.Is(err, ErrSlow):
		a.err = err
	case err == io.EOF && report != "":
		a.err = fmt.Errorf("%w: %s", ErrDaemon, oneLine(report))
	case err == io.EOF:
		a.err = io.EOF
	default:
		a.err = fmt.Errorf("the daemon ended during its answer: %w", ErrDown)
	}
	return n, a.err
}

// Close ends the call.
func (a *answer) Close() {
	_ = a.from.Body.Close() // it was only read
}

// oneLine makes a daemon's message safe to print.
func oneLine(message string) string { return text.Truncate(text.Line(message), 300) }
