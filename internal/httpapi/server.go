// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"cmp"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/api/ops"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/bound"
)

// Options configures a Server. Service, Hello and Feed are required.
type Options struct {
	Service api.Service
	// Hello describes the daemon, with the current root and sequence number.
	Hello func() api.Hello
	// Feed is the source of the change stream.
	Feed *api.Feed
	// Ready returns why the memory cannot answer yet, nil when it can.
	Ready func() error
	// Calls receives a line for each call, see api.Logged; nil logs none.
	Calls *slog.Logger
	// Stop, when closed, ends the streams, so that a server can shut down.
	Stop <-chan struct{}
	// MCP, if not nil, returns the handler of /mcp for a service.
	MCP func(api.Service) http.Handler
	// BodyLimit bounds the bytes of a request; 8 MiB by default.
	BodyLimit int64
	// WritesPerMinute limits the writes of each agent, a thirtieth of them at once; 30,000 by default.
	WritesPerMinute int
	// Time bounds an operation; five minutes by default.
	Time time.Duration
	// Log receives panics; they are discarded by default.
	Log *slog.Logger
}

// Admission identifies the caller of a request. Its error is answered with 401.
type Admission func(*http.Request) (api.Grant, error)

// Server is the state that all listeners share. It is safe for concurrent use.
type Server struct {
	opts    Options
	service api.Service // opts.Service wrapped in the middlewares of New
	mcp     http.Handler
	rates   rates

	requests, streams, large *bound.Shares // under way
}

// New returns a server. The caller keeps the service.
func New(opts Options) *Server {
	if opts.Ready == nil {
		opts.Ready = func() error { return nil }
	}
	opts.BodyLimit = cmp.Or(max(opts.BodyLimit, 0), 8<<20)
	opts.Time = cmp.Or(max(opts.Time, 0), 5*time.Minute)
	opts.Log = cmp.Or(opts.Log, slog.New(slog.DiscardHandler))
	s := &Server{opts: opts, requests: bound.NewShares(bound.Requests), streams: bound.NewShares(bound.Streams),
		large: bound.NewShares(bound.Large)}
	s.Limit(opts.WritesPerMinute)
	s.service = api.Chain(opts.Service, api.Logged(opts.Calls), idempotent(), s.limited, ops.Guarded)
	if opts.MCP != nil {
		s.mcp = opts.MCP(s.service)
	}
	return s
}

// Limit replaces Options.WritesPerMinute; 0 is its default.
func (s *Server) Limit(writesPerMinute int) {
	s.rates.limit(cmp.Or(max(writesPerMinute, 0), 30_000))
}

// Handler returns the handler of one listener. Health needs no admission.
func (s *Server) Handler(admit Admission) http.Handler {
	inner := http.NewServeMux()
	for _, op := range api.Operations {
		allow := "POST"
		if shapeOf(op).gettable() {
			allow = "GET, HEAD, POST"
		}
		inner.Handle("/v1/"+op.Name, only(allow, s.operation(op)))
	}
	inner.Handle("/v1/hello", only("GET, HEAD", http.HandlerFunc(s.hello)))
	inner.Handle("/v1/events", only("GET, HEAD", s.streaming(s.reauthorized(admit, http.HandlerFunc(s.events)))))
	inner.Handle("/v1/openapi.json", only("GET, HEAD", http.HandlerFunc(s.openAPI)))
	if s.mcp != nil {
		mcp := s.reauthorized(admit, s.mcp)
		inner.Handle("/mcp", mcp)
		inner.Handle("GET /mcp", s.streaming(mcp))
	}
	inner.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		problem(w, http.StatusNotFound, "not found", r.URL.Path+": there is no such path; GET /v1/openapi.json lists the paths")
	})
	outer := http.NewServeMux()
	outer.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok\n") })
	outer.HandleFunc("GET /readyz", s.ready)
	outer.Handle("/", admitted(admit, s.sharing(inner)))
	return s.recovered(s.bounded(outer))
}

// admitted admits callers to the scopes that the request names.
func admitted(admit Admission, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		g, err := admit(r)
		if err != nil {
			w.Header().Set("WWW-Authenticate", `Bearer realm="fovea"`)
			w.Header().Set("Connection", "close") // a refused caller keeps no connection
			problem(w, http.StatusUnauthorized, "unauthorized", err.Error())
			return
		}
		scopes := api.Scopes{Project: r.Header.Get(api.HeaderProject), Session: r.Header.Get(api.HeaderSession)}
		claim, err := author.ParseClaim(r.Header.Get(api.HeaderClaim))
		if err != nil {
			problem(w, http.StatusBadRequest, "invalid", api.HeaderClaim+": "+err.Error())
			return
		}
		ctx := fovea.WithActor(author.WithGrant(r.Context(), g), author.Actor{Session: scopes.Session, Claim: claim})
		next.ServeHTTP(w, r.WithContext(author.WithScopes(ctx, scopes)))
	})
}

// only serves requests of the methods in a list.
func only(allow string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !slices.Contains(strings.Split(allow, ", "), r.Method) {
			w.Header().Set("Allow", allow)
			problem(w, http.StatusMethodNotAllowed, "invalid", r.Method+" "+r.URL.Path+": use "+allow)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// transferTimeout is how long a client may take to send a request, or to receive an answer.
const transferTimeout = 60 * time.Second

// bounded limits the bytes of a request and the time of its transfer.
func (s *Server) bounded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		control := http.NewResponseController(w)
		_ = control.SetWriteDeadline(time.Time{}) // of the last answer; not every writer has deadlines
		if r.ContentLength != 0 {
			_ = control.SetReadDeadline(time.Now().Add(transferTimeout))
			r.Body = &timedBody{http.MaxBytesReader(w, r.Body, s.opts.BodyLimit), control}
		}
		next.ServeHTTP(w, r)
	})
}

// timedBody is a body with a deadline for its transfer, not for its use.
type timedBody struct {
	io.ReadCloser
	control *http.ResponseController
}

func (c *timedBody) Read(b []byte) (int, error) {
	n, err := c.ReadCloser.Read(b)
	if errors.Is(err, io.EOF) {
		_ = c.control.SetReadDeadline(time.Time{})
	}
	return n, err
}

func (s *Server) hello(w http.ResponseWriter, r *http.Request) {
	h := s.opts.Hello()
	if author.GrantOf(r.Context()).Role != api.Owner { // digests of short texts can be guessed
		h.Settings = nil
	}
	s.answer(w, r, h)
}

func (s *Server) ready(w http.ResponseWriter, _ *http.Request) {
	if err := s.opts.Ready(); err != nil {
		kind := fovea.Busy
		if fovea.KindOf(err) == fovea.ReadOnly {
			kind = fovea.ReadOnly // retrying does not help
		} else {
			w.Header().Set("Retry-After", "1")
		}
		problem(w, http.StatusServiceUnavailable, kind.String(), err.Error())
		return
	}
	_, _ = io.WriteString(w, "ok\n")
}
