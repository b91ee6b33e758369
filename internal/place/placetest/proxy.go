// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package placetest

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
)

// Proxy forwards requests to some servers in turn, and returns its address. each may change a
// request, and w may lose it; both may be nil.
func Proxy(tb testing.TB, urls []string, each func(*http.Request), w *Weather) string {
	tb.Helper()
	var turn atomic.Int64
	p := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			to, err := url.Parse(urls[int(turn.Add(1))%len(urls)])
			if err != nil {
				tb.Error(err)
				return
			}
			r.Out.URL.Scheme, r.Out.URL.Host = to.Scheme, to.Host
			r.Out.Host = r.In.Host // it is signed
			if each != nil {
				each(r.Out)
			}
		},
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
	}
	var handler http.Handler = p
	if w != nil {
		w.next, handler = p, w
	}
	s := httptest.NewServer(handler)
	tb.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
		if w != nil {
			w.held.Wait()
		}
	})
	return s.URL
}

// Weather loses requests and answers.
type Weather struct {
	// OneOf is the number of requests of which one gets a fault, at random; 0 means none.
	OneOf int
	// Rand draws the faults. It is used under a lock.
	Rand *rand.Rand
	// Lost counts the faults by kind.
	Lost [faults]atomic.Int64

	// Off means that there is no network: every request fails.
	Off atomic.Bool

	mu   sync.Mutex
	next http.Handler
	held sync.WaitGroup
}

// The faults.
const (
	lostRequest = iota // it does not arrive
	lostAnswer         // it is performed, and the connection ends
	heldRequest        // the connection ends, and it is performed after others
	unavailable        // the server is unavailable for now
	faults
)

// Good ends all faults.
func (w *Weather) Good() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.OneOf = 0
	w.Off.Store(false)
}

// draw returns a fault, or faults for none.
func (w *Weather) draw() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.OneOf == 0 || w.Rand.IntN(w.OneOf) > 0 {
		return faults
	}
	return w.Rand.IntN(faults)
}

// ServeHTTP forwards a request, unless a fault prevents it.
func (w *Weather) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	fault := w.draw()
	if w.Off.Load() {
		panic(http.ErrAbortHandler)
	}
	if fault < faults {
		w.Lost[fault].Add(1)
	}
	switch fault {
	case lostRequest:
		panic(http.ErrAbortHandler)
	case unavailable:
		out.WriteHeader(http.StatusServiceUnavailable)
	case lostAnswer:
		w.next.ServeHTTP(httptest.NewRecorder(), r)
		panic(http.ErrAbortHandler)
	case heldRequest:
		body, err := io.ReadAll(r.Body)
		if err == nil {
			later := r.Clone(context.WithoutCancel(r.Context()))
			later.Body = io.NopCloser(bytes.NewReader(body))
			w.held.Go(func() {
				defer func() { _ = recover() }() // the answer goes nowhere
				w.next.ServeHTTP(httptest.NewRecorder(), later)
			})
		}
		panic(http.ErrAbortHandler)
	default:
		w.next.ServeHTTP(out, r)
	}
}
