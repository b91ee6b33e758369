// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package daemon_test

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/internal/daemon"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// TestLockOfAnotherDaemon: over a store that nobody may write only the socket's lock tells
// daemons apart. One that does not answer yet, or no longer, is waited for; one that answers
// is named.
func TestLockOfAnotherDaemon(t *testing.T) {
	h := build(t, "a.org")
	socket, err := h.config.Socket()
	h.check(err)
	h.check(os.MkdirAll(filepath.Dir(socket), 0o700))
	folder, err := vfs.Dir(filepath.Dir(socket))
	h.check(err)
	defer folder.Close()
	lock, err := vfs.TryLock(vfs.Plain(folder), strings.TrimSuffix(filepath.Base(socket), ".sock")+".lock", vfs.Holder{PID: 1, Command: "fovea serve"})
	h.check(err)
	serve := func(ctx context.Context) error {
		feed := &api.Feed{}
		m, err := fovea.Open(t.Context(), h.memex, &fovea.Options{StateDir: h.config.StateDir, Committed: feed.Committed})
		h.check(err)
		ring := &daemon.Ring{}
		h.check(ring.Open(filepath.Join(h.config.StateDir, "serve.log")))
		err = daemon.Serve(ctx, &daemon.Options{Memory: m, Config: h.config, Feed: feed, Lines: ring, Log: slog.New(slog.DiscardHandler)})
		h.check(errors.Join(m.Close(), ring.Close()))
		return err
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := serve(ctx); !errors.Is(err, context.Canceled) || !errors.Is(err, vfs.ErrLocked) {
		t.Errorf("it does not wait for a daemon that starts or ends: %v", err)
	}
	l, err := net.Listen("unix", socket)
	h.check(err)
	go func() { _ = http.Serve(l, http.NotFoundHandler()) }() // ends with the listener
	defer l.Close()
	if err := serve(t.Context()); !errors.Is(err, vfs.ErrLocked) || fovea.KindOf(err) != fovea.Conflict || errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("beside one that answers: %v", err)
	}
	h.check(lock.Unlock())
}

// TestStopOfAStartingDaemon: a daemon that holds the store and does not answer yet is waited for;
// another command that holds it is none.
func TestStopOfAStartingDaemon(t *testing.T) {
	h := build(t, "a.org")
	for command, want := range map[string]error{daemon.Command: context.Canceled, "fovea": daemon.ErrNone} {
		m, err := fovea.Open(t.Context(), h.memex, &fovea.Options{StateDir: h.config.StateDir, Command: command})
		h.check(err)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := daemon.Stop(ctx, &h.config); !errors.Is(err, want) {
			t.Errorf("%s holds the store: %v, want %v", command, err, want)
		}
		h.check(m.Close())
	}
	if err := daemon.Stop(t.Context(), &h.config); !errors.Is(err, daemon.ErrNone) {
		t.Errorf("nothing holds the store: %v", err)
	}
}
