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

// Proxy forwards to some servers in turn, and returns its address. each may
// change a request, weather what happens to it; both may be nil.
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

// Weather loses requests and answers on the way.
type Weather struct {
	// OneOf: one request in that many meets a fault; 0 is none.
	OneOf int
	// Rand draws the faults. It is used under a lock.
	Rand *rand.Rand
	// Lost counts the faults by kind.
	Lost [faults]atomic.Int64

	mu   sync.Mutex
	off  bool
	next http.Handler
	held sync.WaitGroup
}

// The faults.
const (
	lostRequest = iota // it arrives nowhere
	lostAnswer         // it is carried out, and the connection ends
	heldRequest        // the connection ends, and it is carried out after others
	unavailable        // the server is unavailable for now
	faults
)

// Clear is whether there is a network at all: without it every request fails.
func (w *Weather) Clear(network bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.off = !network
}

// Good ends all faults.
func (w *Weather) Good() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.OneOf, w.off = 0, false
}

// draw returns a fault, or none of them.
func (w *Weather) draw() (fault int, off bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.OneOf == 0 || w.Rand.IntN(w.OneOf) > 0 {
		return faults, w.off
	}
	return w.Rand.IntN(faults), w.off
}

// ServeHTTP passes a request on, or not.
func (w *Weather) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	fault, off := w.draw()
	if off {
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
