// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package transfer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// ErrStalled is returned for a server that falls behind the rate.
var ErrStalled = errors.New("it or the network may be overloaded; try again later")

// Transport ends requests whose server makes no progress, while the request is sent, before the answer
// begins, and within the answer. The error names the host.
type Transport struct {
	Base  http.RoundTripper       // nil is Direct
	Limit time.Duration           // how long a request may wait
	Rate  func(*http.Request) int // in bytes a second; nil is MinRate
	Err   error                   // wrapped by the error; nil is ErrStalled
}

// NewClient returns a client for servers on other machines, which follows no redirect.
func NewClient(t *Transport) *http.Client {
	if t.Base == nil {
		t.Base = Direct()
	}
	return &http.Client{Transport: t, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// Direct returns a transport without a watch, which the caller may change.
func Direct() *http.Transport { return http.DefaultTransport.(*http.Transport).Clone() }

// CloseIdleConnections closes connections that are not in use.
func (t *Transport) CloseIdleConnections() { (&http.Client{Transport: t.Base}).CloseIdleConnections() }

// RoundTrip sends a request.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	rate := MinRate
	if t.Rate != nil {
		rate = t.Rate(r)
	}
	ctx, w := NewWatch(r.Context(), t.Limit, rate, fmt.Errorf("%s transferred fewer than %d bytes a second, and the request was ended after %v: %w",
		r.URL.Host, rate, t.Limit, cmp.Or(t.Err, ErrStalled)))
	r = r.WithContext(ctx)
	if r.Body != nil && r.Body != http.NoBody {
		r.Body = &request{ReadCloser: r.Body, watch: w}
	}
	res, err := t.Base.RoundTrip(r)
	if err != nil {
		err = cmp.Or(context.Cause(ctx), err)
		w.Stop()
		return nil, err
	}
	w.step(0, t.Limit, false)
	res.Body = &response{res.Body, ctx, w}
	return res, nil
}

// request is the body of a request. Each part that is sent returns the whole time. At the end, up to
// maxBuffered bytes may be in transit, which a server is expected to read at bufferedRate bytes a second.
type request struct {
	io.ReadCloser
	watch *Watch
	sent  int
}

const maxBuffered, bufferedRate = 8 << 20, 100 << 10

func (b *request) Read(p []byte) (int, error) {
	b.watch.step(0, b.watch.limit, false)
	n, err := b.ReadCloser.Read(p)
	b.sent = min(b.sent+n, maxBuffered)
	left := b.watch.limit
	if err == io.EOF {
		left += time.Duration(b.sent) * time.Second / bufferedRate
	}
	b.watch.step(left, left, true)
	return n, err
}

// response is the body of an answer.
type response struct {
	io.ReadCloser
	ctx   context.Context
	watch *Watch
}

func (b *response) Read(p []byte) (int, error) {
	b.watch.Wait(0)
	n, err := b.ReadCloser.Read(p)
	b.watch.Wait(n)
	b.watch.step(0, b.watch.limit, false)
	if err != nil && err != io.EOF {
		err = cmp.Or(context.Cause(b.ctx), err)
	}
	return n, err
}

func (b *response) Close() error {
	b.watch.Stop()
	return b.ReadCloser.Close()
}

// Plain returns the error of a request without its address, which may contain a secret.
func Plain(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		return u.Err
	}
	return err
}

// MinRate is the usual minimum rate, in bytes a second.
const MinRate = 1 << 10

// Watch ends an exchange that waits too long for the other machine. It is safe for concurrent use.
type Watch struct {
	limit time.Duration
	rate  int // bytes a second
	end   context.CancelCauseFunc

	mu    sync.Mutex
	timer *time.Timer
	left  time.Duration // how long it may still wait
	since time.Time     // when the wait began; zero while the other machine waits for this program
}

// NewWatch returns a running watch, and a context that it cancels with a cause after waiting for
// limit, plus the time that bytes return at rate. The caller ends it with Stop.
func NewWatch(ctx context.Context, limit time.Duration, rate int, cause error) (context.Context, *Watch) {
	ctx, end := context.WithCancelCause(ctx)
	w := &Watch{limit: limit, rate: rate, end: end, left: limit, since: time.Now()}
	w.timer = time.AfterFunc(limit, func() { end(cause) })
	return ctx, w
}

// Wait records that bytes were transferred, and waits for the other machine.
func (w *Watch) Wait(bytes int) {
	w.step(time.Duration(bytes)*time.Second/time.Duration(w.rate), w.limit, true)
}

// Stop ends the watch and cancels its context.
func (w *Watch) Stop() {
	w.step(0, 0, false)
	w.end(nil)
}

// step ends a wait, returns time up to a maximum, and may begin another wait.
func (w *Watch) step(back, maxLeft time.Duration, wait bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := time.Now()
	if !w.since.IsZero() {
		w.left -= now.Sub(w.since)
	}
	w.left = min(w.left+back, maxLeft)
	w.timer.Stop()
	if w.since = (time.Time{}); wait {
		w.since = now
		w.timer.Reset(w.left)
	}
}
