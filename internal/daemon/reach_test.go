// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/fovea-memory/fovea/internal/bound"
	"github.com/fovea-memory/fovea/internal/httpapi"
)

// TestASocketThatWasTakenAway: the daemon listens at it anew, with its folder, and
// again when it is taken away again; what stands there stays.
func TestASocketThatWasTakenAway(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "sockets")
	socket := filepath.Join(folder, "s.sock")
	d := &daemon{opts: &Options{Log: slog.New(slog.DiscardHandler)}, idle: newIdle(0, nil), shares: bound.NewShares(bound.Connections)}
	l, err := listenUnix(socket)
	if err != nil {
		t.Fatal(err)
	}
	d.add(l, bound.Owner, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"protocol":1}`)) }), 0)
	go func() { _ = d.servers[0].Serve(l) }()
	defer func() { _ = d.servers[0].Close() }()
	answers := func() bool {
		far := httpapi.Unix(socket, nil)
		defer far.Close()
		_, err := far.Hello(t.Context())
		return err == nil
	}
	open, err := net.Dial("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer open.Close()
	ask := func() {
		t.Helper()
		if _, err := open.Write([]byte("GET / HTTP/1.1\r\nHost: x\r\n\r\n")); err != nil {
			t.Error(err)
		}
		if n, err := open.Read(make([]byte, 1024)); n == 0 {
			t.Errorf("a connection from before: %v", err)
		}
	}
	ask() // who was not yet accepted would be gone with the listener
	for range 2 {
		if err := os.RemoveAll(folder); err != nil {
			t.Fatal(err)
		}
		if answers() {
			t.Fatal("there is an answer from a socket that is gone")
		}
		if err := d.listenAgain(socket); err != nil {
			t.Fatal(err)
		}
		there, err := os.Lstat(socket)
		if err != nil || !answers() {
			t.Fatalf("nobody answers: %v", err)
		}
		if err := d.listenAgain(socket); err != nil {
			t.Fatal(err)
		}
		if now, err := os.Lstat(socket); err != nil || !os.SameFile(there, now) {
			t.Errorf("the socket was made anew though it was there: %v", err)
		}
	}
	ask()
}
