// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fovea-memory/fovea/api"
)

// counters count what was asked. The zero value is ready.
type counters struct {
	limited, streams atomic.Int64

	mu    sync.Mutex
	asked map[asked]*count
}

// asked is what requests are counted by; both values are from small sets.
type asked struct {
	path   string
	status int
}

type count struct {
	number  int64
	seconds float64
}

func (c *counters) add(path string, status int, took time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.asked == nil {
		c.asked = map[asked]*count{}
	}
	one := c.asked[asked{path, status}]
	if one == nil {
		one = &count{}
		c.asked[asked{path, status}] = one
	}
	one.number++
	one.seconds += took.Seconds()
}

// counted counts each request by its route.
func (s *Server) counted(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begun := time.Now()
		kept := &statusWriter{ResponseWriter: w, status: http.StatusOK}
		next.ServeHTTP(kept, r)
		s.counts.add(route(r.URL.Path), kept.status, time.Since(begun))
	})
}

// route is the path where it is one of ours: a caller cannot add counters.
func route(path string) string {
	if name, ok := strings.CutPrefix(path, "/v1/"); ok && api.OperationNamed(name) != nil {
		return path
	}
	switch path {
	case "/v1/hello", "/v1/logs", "/v1/events", "/v1/openapi.json", "/mcp", "/metrics", "/healthz", "/readyz":
		return path
	}
	return "other"
}

// statusWriter remembers the status of an answer.
type statusWriter struct {
	http.ResponseWriter
	status int
	begun  bool // something was written
}

func (w *statusWriter) WriteHeader(status int) {
	w.begun = true
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

func (w *statusWriter) Write(b []byte) (int, error) {
	w.begun = true
	return w.ResponseWriter.Write(b)
}

// Unwrap gives http.ResponseController the connection.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// metrics writes the counters as Prometheus reads them.
func (s *Server) metrics(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; version=0.0.4")
	hello := s.opts.Hello()
	fmt.Fprintf(w, "# TYPE fovea_commits_total counter\nfovea_commits_total %d\n", hello.Seq)
	fmt.Fprintf(w, "# TYPE fovea_limited_total counter\nfovea_limited_total %d\n", s.counts.limited.Load())
	fmt.Fprintf(w, "# TYPE fovea_streams gauge\nfovea_streams %d\n", s.counts.streams.Load())
	s.counts.mu.Lock()
	defer s.counts.mu.Unlock()
	byPath := slices.SortedFunc(maps.Keys(s.counts.asked), func(a, b asked) int {
		return slices.Compare([]string{a.path, fmt.Sprint(a.status)}, []string{b.path, fmt.Sprint(b.status)})
	})
	fmt.Fprint(w, "# TYPE fovea_requests_total counter\n")
	for _, a := range byPath {
		fmt.Fprintf(w, "fovea_requests_total{path=%q,status=\"%d\"} %d\n", a.path, a.status, s.counts.asked[a].number)
	}
	fmt.Fprint(w, "# TYPE fovea_request_seconds_total counter\n")
	for _, a := range byPath {
		fmt.Fprintf(w, "fovea_request_seconds_total{path=%q,status=\"%d\"} %g\n", a.path, a.status, s.counts.asked[a].seconds)
	}
}
