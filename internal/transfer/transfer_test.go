// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package transfer_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fovea-memory/fovea/internal/transfer"
)

const limit = 10 * time.Second

// slow reads some bytes of another reader at a time, after a pause.
type slow struct {
	io.Reader
	bytes int
	pause time.Duration
	ctx   context.Context
}

func (s *slow) Read(p []byte) (int, error) {
	select {
	case <-time.After(s.pause):
	case <-s.ctx.Done():
		return 0, context.Cause(s.ctx)
	}
	return s.Reader.Read(p[:min(len(p), s.bytes)])
}

func (*slow) Close() error { return nil }

// server takes the body of a request and gives an answer, each a part at a time after a pause.
type server struct {
	takes, gives slow
	first        time.Duration // pause before it takes anything
	answer       int           // bytes
}

func (s server) RoundTrip(r *http.Request) (*http.Response, error) {
	_, err := (&slow{Reader: strings.NewReader("x"), bytes: 1, pause: s.first, ctx: r.Context()}).Read(make([]byte, 1))
	for err == nil && r.Body != nil {
		if _, err = r.Body.Read(make([]byte, s.takes.bytes)); err == nil {
			_, err = (&slow{Reader: strings.NewReader("x"), bytes: 1, pause: s.takes.pause, ctx: r.Context()}).Read(make([]byte, 1))
		}
	}
	if err != nil && err != io.EOF {
		return nil, err
	}
	body := &slow{Reader: bytes.NewReader(make([]byte, s.answer)), bytes: s.gives.bytes, pause: s.gives.pause, ctx: r.Context()}
	return &http.Response{StatusCode: http.StatusOK, Body: body, Header: http.Header{}}, nil
}

// TestTransport: a request goes on as long as its server makes progress, however long that takes, and
// ends within twice the limit when it does not; the time that this program takes does not count.
func TestTransport(t *testing.T) {
	quick := slow{bytes: 64 << 10}
	for _, tc := range []struct {
		name      string
		server    server
		send      int           // bytes of the request
		make      time.Duration // pause of this program before each part of the request
		keep      time.Duration // and of the answer
		isStalled bool
	}{
		{"quick", server{takes: quick, gives: quick, answer: 1 << 20}, 1 << 20, 0, 0, false},
		{"at the rate", server{takes: quick, gives: slow{bytes: transfer.MinRate, pause: time.Second}, answer: 1 << 20}, 0, 0, 0, false},
		{"large parts with pauses", server{takes: quick, gives: slow{bytes: 16 << 10, pause: 9 * time.Second}, answer: 1 << 20}, 0, 0, 0, false},
		{"takes slowly", server{takes: slow{bytes: 16 << 10, pause: 9 * time.Second}, gives: quick, answer: 1}, 1 << 20, 0, 0, false},
		{"this program is slow", server{takes: quick, gives: quick, answer: 256 << 10}, 256 << 10, time.Hour, time.Hour, false},
		{"silent", server{first: time.Hour, gives: quick}, 0, 0, 0, true},
		{"takes nothing", server{takes: slow{bytes: 1, pause: time.Hour}, gives: quick}, 10, 0, 0, true},
		{"a byte a second", server{takes: quick, gives: slow{bytes: 1, pause: time.Second}, answer: 1 << 20}, 0, 0, 0, true},
		{"half the rate", server{takes: quick, gives: slow{bytes: transfer.MinRate / 2, pause: time.Second}, answer: 1 << 20}, 0, 0, 0, true},
		{"much, then a byte a second", server{takes: quick, gives: slow{bytes: 1, pause: time.Second}, answer: 1 << 20}, 1 << 10, 0, 0, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client := transfer.NewClient(&transfer.Transport{Base: tc.server, Limit: limit})
				var body io.Reader
				if tc.send > 0 {
					body = &slow{Reader: bytes.NewReader(make([]byte, tc.send)), bytes: 32 << 10, pause: tc.make, ctx: t.Context()}
				}
				r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://far.example/secret", body)
				if err != nil {
					t.Fatal(err)
				}
				begin, got := time.Now(), 0
				response, err := client.Do(r)
				for err == nil {
					var n int
					n, err = response.Body.Read(make([]byte, 32<<10))
					got += n
					<-time.After(tc.keep)
				}
				if response != nil {
					response.Body.Close()
				}
				if tc.isStalled {
					err = transfer.Plain(err)
					if !errors.Is(err, transfer.ErrStalled) || !strings.HasPrefix(err.Error(), "far.example ") || strings.Contains(err.Error(), "secret") {
						t.Errorf("it ended with %v", err)
					}
					if took := time.Since(begin); took > 2*limit+time.Second {
						t.Errorf("it ended after %v", took)
					}
				} else if err != io.EOF || got != tc.server.answer {
					t.Errorf("it ended after %v and %d bytes with %v", time.Since(begin), got, err)
				}
			})
		})
	}
}

// TestCallerEndsARequest: the end of its context ends a request with the caller's reason.
func TestCallerEndsARequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mine := errors.New("enough")
		for _, s := range []server{{first: time.Hour}, {gives: slow{bytes: 1, pause: 8 * time.Second}, answer: 9}} {
			ctx, cancel := context.WithTimeoutCause(t.Context(), 5*time.Second, mine)
			r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://far.example", nil)
			if err != nil {
				t.Fatal(err)
			}
			response, err := transfer.NewClient(&transfer.Transport{Base: s, Limit: limit}).Do(r)
			if err == nil {
				_, err = io.ReadAll(response.Body)
				response.Body.Close()
			}
			if !errors.Is(err, mine) {
				t.Errorf("it ended with %v", err)
			}
			cancel()
		}
	})
}
