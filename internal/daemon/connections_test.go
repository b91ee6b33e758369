// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"bufio"
	"io"
	"log/slog"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/internal/bound"
)

// pipes is a listener to which connections are given.
type pipes struct {
	come chan net.Conn
	over chan struct{}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.come:
		return c, nil
	case <-p.over:
		return nil, net.ErrClosed
	}
}
func (p *pipes) Close() error   { close(p.over); return nil }
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }

// dial returns the other end of a connection that is accepted.
func (p *pipes) dial() net.Conn {
	ours, theirs := net.Pipe()
	p.come <- ours
	return theirs
}

// crowded is a daemon with one way in, by which an agent is anybody that names one.
func crowded(t *testing.T) (*daemon, *pipes) {
	d := &daemon{opts: &Options{Log: slog.New(slog.DiscardHandler)}, idle: newIdle(0, nil), shares: bound.NewShares(bound.Connections)}
	p := &pipes{come: make(chan net.Conn), over: make(chan struct{})}
	admit := counting(func(r *http.Request) (api.Grant, error) {
		return api.Grant{Agent: r.Header.Get("Agent"), Role: api.Agent, Vouched: true}, nil
	})
	d.add(p, bound.Anonymous, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = admit(r) }), keepAlive)
	go func() { _ = d.servers[0].Serve(d.servers[0].listener) }()
	t.Cleanup(func() { _ = d.servers[0].Close() })
	return d, p
}

// get asks over a connection, which stays open.
func get(t *testing.T, c net.Conn, agent string) {
	t.Helper()
	if _, err := io.WriteString(c, "GET / HTTP/1.1\r\nHost: x\r\nAgent: "+agent+"\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	a, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil || a.StatusCode != http.StatusOK {
		t.Fatalf("%v, %v", a, err)
	}
	a.Body.Close()
}

// TestHalfOpenAtOnce: with any number of connections that send half a header a newcomer is
// answered without any time passing, and no more of them stay open than may.
func TestHalfOpenAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, p := crowded(t)
		begun := time.Now()
		for range 3 * bound.Connections.Anonymous {
			c := p.dial()
			defer c.Close()
			if _, err := io.WriteString(c, "GET / HTTP/1.1\r\nHo"); err != nil {
				t.Fatal(err)
			}
		}
		c := p.dial()
		defer c.Close()
		get(t, c, "ada")
		if passed := time.Since(begun); passed > 0 {
			t.Errorf("a newcomer waited for %v", passed)
		}
		synctest.Wait()
		if n := d.shares.Held(bound.Anonymous); n > bound.Connections.Anonymous {
			t.Errorf("%d connections of nobody are open", n)
		}
	})
}

// TestConnectionsOfOneToken: who opens more connections than a token may have loses its
// own oldest one that rests; a connection that was closed counts no more.
func TestConnectionsOfOneToken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, p := crowded(t)
		adas := p.dial()
		defer adas.Close()
		get(t, adas, "ada")
		var open []net.Conn
		for range bound.Connections.Agent + 1 {
			c := p.dial()
			defer c.Close()
			get(t, c, "mint")
			open = append(open, c)
		}
		if _, err := open[0].Read(make([]byte, 1)); err == nil {
			t.Error("the oldest connection is open")
		}
		get(t, open[1], "mint")
		get(t, adas, "ada")
		for _, c := range open {
			_ = c.Close()
		}
		synctest.Wait()
		if n := d.shares.Held(bound.Agent("mint")); n != 0 {
			t.Errorf("%d connections that were closed count", n)
		}
	})
}

// TestWhatGoesOnSurvivesAPanic: a part of the daemon that panics is logged and begins
// again.
func TestWhatGoesOnSurvivesAPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log lines
		d := &daemon{opts: &Options{Log: slog.New(slog.NewTextHandler(&log, nil))}}
		runs := 0
		d.kept(t.Context(), "a test", func() {
			if runs++; runs < 3 {
				panic("out of order")
			}
		})
		if runs != 3 || len(log) != 2 {
			t.Errorf("%d runs, the log has %q", runs, log)
		}
	})
}

// lines keeps what is written, by call.
type lines []string

func (l *lines) Write(b []byte) (int, error) {
	*l = append(*l, string(b))
	return len(b), nil
}
