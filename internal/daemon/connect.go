// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/fovea-memory/fovea/internal/config"
	"github.com/fovea-memory/fovea/internal/httpapi"
)

// ErrNone is returned if no daemon serves a memex.
var ErrNone = errors.New("no daemon serves this memex")

// Connect returns a client of the daemon that serves a memex, under any path. The caller closes
// it. Errors: ErrNone; kind Conflict if the daemon speaks another protocol.
func Connect(ctx context.Context, c *config.Config, opts *httpapi.ClientOptions) (*httpapi.Client, error) {
	return find(ctx, c, opts, false)
}

// find is Connect; everywhere has the same meaning as in places.
func find(ctx context.Context, c *config.Config, opts *httpapi.ClientOptions, everywhere bool) (*httpapi.Client, error) {
	sockets, err := places(c, everywhere)
	if err != nil {
		return nil, err
	}
	for i, socket := range sockets {
		far, err := connect(ctx, socket, opts)
		if err == nil && i > 0 && !serves(c, far.Met) { // the first socket is this memex's own
			far.Close()
			err = ErrNone
		}
		if err == nil {
			return far, nil
		}
		if !errors.Is(err, ErrNone) {
			return nil, err
		}
	}
	return nil, ErrNone
}

func connect(ctx context.Context, socket string, opts *httpapi.ClientOptions) (*httpapi.Client, error) {
	if _, err := os.Lstat(socket); errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNone
	}
	if err := private(filepath.Dir(socket)); err != nil {
		return nil, fmt.Errorf("socket: %w", err)
	}
	far := httpapi.Unix(socket, opts)
	soon, stop := context.WithTimeout(ctx, helloTimeout)
	defer stop()
	var err error
	if far.Met, err = far.Hello(soon); err != nil {
		far.Close()
		switch {
		case errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, fs.ErrNotExist):
			return nil, ErrNone // a socket left by a daemon that has exited
		case soon.Err() != nil && ctx.Err() == nil:
			return nil, fmt.Errorf("the process that listens at %s has not answered for %v; end it, or use --no-daemon", socket, helloTimeout)
		}
		return nil, err
	}
	return far, nil
}

// helloTimeout bounds the wait for a daemon's first answer, which does not read the folder.
const helloTimeout = 10 * time.Second

// pollInterval is the delay between attempts to reach a starting daemon.
const pollInterval = 20 * time.Millisecond

// await calls Connect until it finds a daemon, ctx ends, or givenUp is closed.
func await(ctx context.Context, c *config.Config, opts *httpapi.ClientOptions, givenUp <-chan struct{}) (*httpapi.Client, error) {
	for {
		far, err := Connect(ctx, c, opts)
		if err == nil || !errors.Is(err, ErrNone) {
			return far, err
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(ErrNone, ctx.Err())
		case <-givenUp:
			return Connect(ctx, c, opts) // another daemon may have been faster
		case <-time.After(pollInterval):
		}
	}
}
