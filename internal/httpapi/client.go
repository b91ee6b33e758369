// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/google/uuid"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/fault"
)

// ClientOptions identify the caller. nil means the zero value.
type ClientOptions struct {
	// Token is sent to a daemon that requires one.
	Token string
	// Agent and Session go into the commits. The agent of a token, or else of the context, overrides Agent.
	Agent, Session string
	// Role, if api.Agent, limits this client to the rights of agents.
	Role api.Role
	// Project and Session are the scopes of a request whose context names none (api.WithScopes).
	Project string
	// Warn receives the warnings of operations that succeeded.
	Warn func(error)
	// Again is called when the connection was lost. It returns nil once a daemon runs
	// again: the request is then repeated, at most three times. A nil Again gives up.
	Again func(context.Context) error
}

// Client reaches a daemon. It is safe for concurrent use.
type Client struct {
	Service api.Service // of the daemon
	Met     api.Hello   // the daemon's answer when it was found
	http    *http.Client
	base    string
	opts    ClientOptions
}

// Unix returns a client of the daemon that listens at a socket. It does not connect yet.
func Unix(socket string, opts *ClientOptions) *Client {
	var d net.Dialer
	return newClient("http://fovea", opts, func(ctx context.Context, _, _ string) (net.Conn, error) {
		return d.DialContext(ctx, "unix", socket)
	})
}

// HTTP returns a client of the daemon at a URL, such as http://127.0.0.1:8080.
func HTTP(url string, opts *ClientOptions) *Client {
	return newClient(strings.TrimSuffix(url, "/"), opts, (&net.Dialer{}).DialContext)
}

func newClient(base string, opts *ClientOptions, dial func(ctx context.Context, network, address string) (net.Conn, error)) *Client {
	const connections = 64
	c := &Client{base: base, http: &http.Client{Transport: &http.Transport{
		DialContext: dial, MaxIdleConnsPerHost: connections, DisableCompression: true,
	}}}
	if opts != nil {
		c.opts = *opts
	}
	c.Service = c.call
	return c
}

// OnLoss sets ClientOptions.Again, before the first request.
func (c *Client) OnLoss(again func(context.Context) error) { c.opts.Again = again }

// Close closes idle connections. Running requests continue.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Hello asks the daemon to identify itself. A daemon with another protocol is a Conflict.
func (c *Client) Hello(ctx context.Context) (api.Hello, error) {
	var h api.Hello
	r, err := c.request(ctx, http.MethodGet, "/v1/hello", nil)
	if err != nil {
		return h, err
	}
	text, err := c.send(r, "hello", nil)
	if err != nil {
		return h, err
	}
	if err := json.Unmarshal(text, &h); err != nil {
		return h, fault.Errorf("hello", "", fault.Other, "the answer is not that of a Fovea daemon: %w", err)
	}
	if h.Protocol != api.Protocol {
		return h, fault.Errorf("hello", "", fault.Conflict,
			"the daemon (process %d, version %s) speaks protocol %d, this program %d; restart the daemon", h.PID, h.Version, h.Protocol, api.Protocol)
	}
	return h, nil
}

// call calls one operation.
func (c *Client) call(ctx context.Context, call api.Call) (any, error) {
	if r, ok := call.Request.(api.IngestRequest); ok && (r.Committed != nil || r.Progress != nil) {
		return c.ingest(ctx, call, r)
	}
	return c.post(ctx, call)
}

// maxTries limits the attempts at a request whose connection is lost each time: the request itself may crash the daemon.
const maxTries = 4

// post sends an operation, again after a lost connection.
func (c *Client) post(ctx context.Context, call api.Call) (any, error) {
	op := call.Op
	body, err := json.Marshal(call.Request)
	if err != nil {
		return nil, fault.Wrap(op.Name, "", fault.Invalid, err)
	}
	path := "/v1/" + op.Name
	if call.Sync != "" {
		path += "?sync=" + string(call.Sync)
	}
	key := ""
	if op.Effect != api.Reads {
		key = cmp.Or(call.Key, uuid.NewString())
	}
	for try := 1; ; try++ {
		r, err := c.request(ctx, http.MethodPost, path, body)
		if err != nil {
			return nil, err
		}
		if key != "" {
			r.Header.Set(api.HeaderOp, key)
		}
		answer, err := c.send(r, op.Name, call.Warn)
		if err == nil {
			return op.DecodeAnswer(answer)
		}
		l, ok := errors.AsType[*lost](err)
		if !ok || c.opts.Again == nil || ctx.Err() != nil {
			return nil, err
		}
		if try == maxTries {
			return nil, fault.Errorf(op.Name, "", fault.Other, "the connection to the daemon was lost %d times; it is not "+
				"known whether this was done: %w", try, l.err)
		}
		if c.opts.Again(ctx) != nil {
			return nil, err
		}
	}
}

// lost is an error of the connection: it is not known whether the request was carried out.
type lost struct{ err error }

func (l *lost) Error() string { return "the connection to the daemon was lost: " + l.err.Error() }
func (l *lost) Unwrap() error { return l.err }

func (c *Client) request(ctx context.Context, method, path string, body []byte) (*http.Request, error) {
	r, err := http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	scopes, grant := author.ScopesOf(ctx), author.GrantOf(ctx)
	for name, value := range map[string]string{
		api.HeaderAgent:   cmp.Or(grant.Agent, c.opts.Agent),
		api.HeaderRole:    string(cmp.Or(grant.Role, c.opts.Role)),
		api.HeaderProject: cmp.Or(scopes.Project, c.opts.Project),
		api.HeaderSession: cmp.Or(scopes.Session, c.opts.Session),
		api.HeaderClaim:   author.ActorOf(ctx).Claim.String(),
	} {
		if strings.ContainsFunc(value, unicode.IsControl) { // no header can hold it
			return nil, fault.Invalidf("request", "%s: %q has control characters", name, value)
		}
		if value != "" {
			r.Header.Set(name, value)
		}
	}
	if c.opts.Token != "" {
		r.Header.Set("Authorization", "Bearer "+c.opts.Token)
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	return r, nil
}

// send returns the body of an answer, or its error. It passes warnings to warn, or else to ClientOptions.Warn.
func (c *Client) send(r *http.Request, op string, warn func(error)) ([]byte, error) {
	answer, err := c.http.Do(r)
	if err != nil {
		return nil, gone(r.Context(), op, err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return nil, gone(r.Context(), op, err)
	}
	if warn == nil {
		warn = c.opts.Warn
	}
	for _, quoted := range answer.Header.Values(api.HeaderWarning) {
		if warning, err := strconv.Unquote(quoted); err == nil && warn != nil {
			warn(errors.New(warning))
		}
	}
	if answer.StatusCode == http.StatusOK {
		return text, nil
	}
	return nil, refused(op, answer, text)
}

// gone returns the error of a lost connection, or that of ctx if it ended.
func gone(ctx context.Context, op string, err error) error {
	if ctx.Err() != nil {
		return fault.Wrap(op, "", fault.Other, ctx.Err())
	}
	return fault.Wrap(op, "", fault.Other, &lost{err})
}

// refused returns the error in an answer.
func refused(op string, answer *http.Response, text []byte) error {
	var f api.Fault
	kind, _, _ := mime.ParseMediaType(answer.Header.Get("Content-Type"))
	if kind != "application/problem+json" || json.Unmarshal(text, &f) != nil {
		return fault.Errorf(op, "", fault.Other, "the server that answers is not a Fovea daemon (%s)", answer.Status)
	}
	err := f.Err()
	if e, ok := errors.AsType[*fovea.Error](err); ok {
		e.Op = cmp.Or(e.Op, op)
		switch answer.StatusCode {
		case http.StatusUnauthorized:
			e.Kind = fovea.Denied
		case http.StatusTooManyRequests:
			e.Kind = fovea.Busy
		}
	}
	return err
}

// Events calls receive with the kind and the JSON of each event of the stream (doc/format/events.md): the commits after
// number since, in order, each once, notices and progress, until the context ends, receive returns an error, or the
// connection is lost. The caller can then continue after the last commit that it received.
func (c *Client) Events(ctx context.Context, since uint64, receive func(kind string, data []byte) error) error {
	r, err := c.request(ctx, http.MethodGet, fmt.Sprintf("/v1/events?since=%d", since), nil)
	if err != nil {
		return err
	}
	answer, err := c.http.Do(r)
	if err != nil {
		return gone(ctx, "events", err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		text, err := io.ReadAll(answer.Body)
		if err != nil {
			return gone(ctx, "events", err)
		}
		return refused("events", answer, text)
	}
	const longest = 1 << 20
	lines := bufio.NewScanner(answer.Body)
	lines.Buffer(nil, longest)
	kind := ""
	for lines.Scan() {
		field, value, _ := strings.Cut(lines.Text(), ": ")
		switch field {
		case "event":
			kind = value
		case "data":
			if kind == "client" { // the name of this stream
				continue
			}
			if err := receive(kind, []byte(value)); err != nil {
				return err
			}
		}
	}
	if err = lines.Err(); err == nil {
		err = io.ErrUnexpectedEOF
	}
	return gone(ctx, "events", err)
}

// ingest calls the operation ingest and reports its progress and commits while it runs.
func (c *Client) ingest(ctx context.Context, call api.Call, req api.IngestRequest) (any, error) {
	h, err := c.Hello(ctx)
	if err != nil {
		return nil, err
	}
	newest := h.Seq // of the commits in the events; the listener owns it until it ends
	var listening sync.WaitGroup
	events, stop := context.WithCancel(ctx)
	listening.Go(func() {
		_ = c.Events(events, h.Seq, func(kind string, data []byte) error {
			var done api.Event
			var commit api.Commit
			switch kind {
			case "progress":
				if req.Progress != nil && json.Unmarshal(data, &done) == nil {
					req.Progress(done.Done, done.Total)
				}
			case "commit":
				if err := json.Unmarshal(data, &commit); err != nil {
					return err
				}
				newest = commit.Seq
				if req.Committed != nil && commit.Kind == "ingest" {
					req.Committed(commit)
				}
			}
			return nil
		})
	})
	answer, err := c.post(ctx, call) // the functions of the request are not sent
	stop()
	listening.Wait()
	status, ok := answer.(*api.Status)
	if err != nil || !ok || req.Committed == nil || status.Seq <= newest {
		return answer, err
	}
	// The log has the commits that the events lacked. The numbers are those of the memex.
	memex := Client{http: c.http, base: c.base, opts: ClientOptions{Token: c.opts.Token}}
	since := api.LogRequest{Limit: int(status.Seq - newest)}
	made, _ := api.OpLog.Call(ctx, api.WithSync(memex.call, api.SyncNone), since)
	for _, commit := range slices.Backward(made) {
		if commit.Kind == "ingest" && commit.Seq > newest {
			req.Committed(commit)
		}
	}
	return answer, nil
}
