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

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/internal/client"
	"github.com/fovea-memory/fovea/internal/config"
	"github.com/fovea-memory/fovea/internal/disk"
	"github.com/fovea-memory/fovea/internal/stores"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// ErrNone is returned if no daemon serves a memex.
var ErrNone = errors.New("no daemon serves this memex")

// Connect returns a client of the daemon that serves a memex, whatever path names that. The
// caller closes it. Errors: ErrNone; kind Conflict if the daemon speaks another protocol.
func Connect(ctx context.Context, c *config.Config, opts *client.Options) (*client.Client, error) {
	return find(ctx, c, opts, false)
}

// find is Connect; everywhere is that of places.
func find(ctx context.Context, c *config.Config, opts *client.Options, everywhere bool) (*client.Client, error) {
	sockets, err := places(c, everywhere)
	if err != nil {
		return nil, err
	}
	for i, socket := range sockets {
		far, err := connect(ctx, socket, opts)
		if err == nil && i > 0 { // the first is named after this memex
			var h api.Hello
			if h, err = far.Hello(ctx); err == nil && !serves(c, h) {
				err = ErrNone
			}
			if err != nil {
				far.Close()
			}
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

func connect(ctx context.Context, socket string, opts *client.Options) (*client.Client, error) {
	if _, err := os.Lstat(socket); errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNone
	}
	if err := private(filepath.Dir(socket)); err != nil {
		return nil, fmt.Errorf("socket: %w", err)
	}
	far := client.Unix(socket, opts)
	soon, stop := context.WithTimeout(ctx, helloTimeout)
	defer stop()
	if _, err := far.Hello(soon); err != nil {
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

// Await calls Connect until it finds a daemon, ctx ends, or givenUp is closed.
func Await(ctx context.Context, c *config.Config, opts *client.Options, givenUp <-chan struct{}) (*client.Client, error) {
	for {
		far, err := Connect(ctx, c, opts)
		if err == nil || !errors.Is(err, ErrNone) {
			return far, err
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(ErrNone, ctx.Err())
		case <-givenUp:
			return Connect(ctx, c, opts) // another daemon may have been quicker
		case <-time.After(pollInterval):
		}
	}
}

// Stop ends the daemon that serves a memex and returns when it has released the store, after
// answering earlier requests. It waits for one that is starting. Errors: ErrNone.
func Stop(ctx context.Context, c *config.Config) error {
	far, err := findStarted(ctx, c)
	if err != nil {
		return err
	}
	defer far.Close()
	h, err := far.Hello(ctx)
	if err != nil {
		return err
	}
	p, err := os.FindProcess(h.PID)
	if err == nil {
		err = p.Signal(syscall.SIGTERM)
	}
	if err != nil {
		return fmt.Errorf("stop process %d: %w", h.PID, err)
	}
	if err := silent(ctx, c); err != nil {
		return err
	}
	return released(ctx, h.StateDir)
}

// findStarted returns a client of the daemon that serves a memex, under any name. It waits for one
// that is starting.
func findStarted(ctx context.Context, c *config.Config) (*client.Client, error) {
	for {
		far, err := find(ctx, c, nil, true)
		if !errors.Is(err, ErrNone) || !starting(c.StateDir) {
			return far, err
		}
		if ctx.Err() != nil {
			return nil, fmt.Errorf("a daemon that is starting or stopping does not answer: %w", ctx.Err())
		}
		pause(ctx)
	}
}

// Command is how a daemon names itself in the locks that it holds.
const Command = "fovea serve"

// stopper names this process in the lock of a store that it takes for a moment.
func stopper() vfs.Holder {
	return vfs.Holder{PID: os.Getpid(), Command: Command + " --stop", Since: time.Now()}
}

// starting reports whether a process that holds a store is a daemon. One that does not answer
// is starting or stopping.
func starting(stateDir string) bool {
	if !stores.Begun(stateDir) {
		return false
	}
	folder, err := vfs.Dir(stateDir)
	if err != nil {
		return false
	}
	defer folder.Close()
	lock, err := disk.TryLock(vfs.Plain(folder), stopper())
	if err == nil {
		_ = lock.Unlock() // the lock ends with the process
	}
	held, ok := errors.AsType[*vfs.HeldError](err)
	return ok && held.Holder.Command == Command
}

// pause waits for pollInterval, or until ctx ends.
func pause(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-time.After(pollInterval):
	}
}

// silent returns when no daemon answers.
func silent(ctx context.Context, c *config.Config) error {
	for ctx.Err() == nil {
		far, err := find(ctx, c, nil, true)
		if err != nil {
			return nil
		}
		far.Close()
		pause(ctx)
	}
	return ctx.Err()
}

// released returns when the lock of a state folder is free: a daemon holds it until it has
// written everything. A folder missing or not writable by this user counts as free.
func released(ctx context.Context, stateDir string) error {
	folder, err := vfs.Dir(stateDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer folder.Close()
	lock, err := disk.Lock(ctx, vfs.Plain(folder), stopper())
	if vfs.Unwritable(err) {
		return nil
	}
	if err != nil {
		return err
	}
	return lock.Unlock()
}
