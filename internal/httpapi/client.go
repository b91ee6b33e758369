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
	// Token is sent to a daemon that wants one.
	Token string
	// Agent and Session go into the commits; with a token the agent is the token's, with an agent in the context that one.
	Agent, Session string
	// Role, if api.Agent, holds this client to what agents may do.
	Role api.Role
	// Project and Session are the scopes of a request whose context names none (api.WithScopes).
	Project string
	// Warn gets what a person should know though an operation succeeded.
	Warn func(error)
	// Again is called when the connection was lost. It returns nil when there is
	// a daemon again: the request is repeated then, three times at most. nil gives up.
	Again func(context.Context) error
}

// Client reaches a daemon. It is safe for concurrent use.
type Client struct {
	Service api.Service // of the daemon
	Met     api.Hello   // that the daemon answered when it was found
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

// Close closes idle connections. Requests under way continue.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Hello asks who answers. A daemon that speaks another protocol is a Conflict.
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

// call carries out one operation.
func (c *Client) call(ctx context.Context, call api.Call) (any, error) {
	if r, ok := call.Request.(api.IngestRequest); ok && (r.Committed != nil || r.Progress != nil) {
		return c.ingest(ctx, call, r)
	}
	return c.post(ctx, call)
}

// maxTries is how often a request is sent whose connection is lost each time: it may be what ends the daemon.
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
			return nil, fault.Errorf(op.Name, "", fault.Other, "the connection to the daemon was lost %d times; whether this was carried out is not "+
				"known: %w", try, l.err)
		}
		if c.opts.Again(ctx) != nil {
			return nil, err
		}
	}
}

// lost is an error of the connection: whether the request was carried out is not known.
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
		if strings.ContainsFunc(value, unicode.IsControl) { // no header can hold it, however often it is sent
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

// send returns the body of an answer, or its error. warn, or else ClientOptions.Warn, is told of its warnings.
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
		if said, err := strconv.Unquote(quoted); err == nil && warn != nil {
			warn(errors.New(said))
		}
	}
	if answer.StatusCode == http.StatusOK {
		return text, nil
	}
	return nil, refused(op, answer, text)
}

// gone is the error of a connection, unless the caller has given up.
func gone(ctx context.Context, op string, err error) error {
	if ctx.Err() != nil {
		return fault.Wrap(op, "", fault.Other, ctx.Err())
	}
	return fault.Wrap(op, "", fault.Other, &lost{err})
}

// refused makes the error of an answer that is none.
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

// Events calls told with the kind and the JSON of each event of the stream (doc/format/events.md): commits after the one
// with the number since, in order, each once, notices and progress, until the context ends, told returns an error, or the
// connection is lost. The caller then goes on from the last commit that it received.
func (c *Client) Events(ctx context.Context, since uint64, told func(kind string, data []byte) error) error {
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
			if err := told(kind, []byte(value)); err != nil {
				return err
			}
		}
	}
	if err = lines.Err(); err == nil {
		err = io.ErrUnexpectedEOF
	}
	return gone(ctx, "events", err)
}

// ingest is the operation of that name; its progress and commits are reported while it runs.
func (c *Client) ingest(ctx context.Context, call api.Call, req api.IngestRequest) (any, error) {
	h, err := c.Hello(ctx)
	if err != nil {
		return nil, err
	}
	told := h.Seq // the newest commit that the events had; the listener's until it ends
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
				told = commit.Seq
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
	if err != nil || !ok || req.Committed == nil || status.Seq <= told {
		return answer, err
	}
	// What the events lacked is in the log. The memex' commits have these numbers.
	memex := Client{http: c.http, base: c.base, opts: ClientOptions{Token: c.opts.Token}}
	since := api.LogRequest{Limit: int(status.Seq - told)}
	made, _ := api.OpLog.Call(ctx, api.WithSync(memex.call, api.SyncNone), since)
	for _, commit := range slices.Backward(made) {
		if commit.Kind == "ingest" && commit.Seq > told {
			req.Committed(commit)
		}
	}
	return answer, nil
}
