// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"time"

	"github.com/fovea-memory/fovea/internal/client"
	"github.com/fovea-memory/fovea/internal/config"
	"github.com/fovea-memory/fovea/internal/disk"
	"github.com/fovea-memory/fovea/internal/stores"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// Stop ends the daemon that serves a memex and returns when it has released the store, after
// answering earlier requests. It waits for one that is starting. Errors: ErrNone.
func Stop(ctx context.Context, c *config.Config) error {
	far, err := findStarted(ctx, c)
	if err != nil {
		return err
	}
	defer far.Close()
	h := far.Met
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
		if !errors.Is(err, ErrNone) {
			return far, err
		}
		pid := holder(c.StateDir)
		if pid == 0 {
			return nil, err
		}
		if ctx.Err() != nil {
			return nil, fmt.Errorf("process %d is starting or stopping as a daemon and does not answer; try again, or end it: %w", pid, ctx.Err())
		}
		poll(ctx)
	}
}

// Command is how a daemon names itself in the locks that it holds.
const Command = "fovea serve"

// stopper names this process in the lock of a store that it takes for a moment.
func stopper() vfs.Holder {
	return vfs.Holder{PID: os.Getpid(), Command: Command + " --stop", Since: time.Now()}
}

// holder returns the process id of the daemon that holds a store, 0 if none does. One that does
// not answer is starting or stopping.
func holder(stateDir string) int {
	if !stores.Begun(stateDir) {
		return 0
	}
	folder, err := vfs.Dir(stateDir)
	if err != nil {
		return 0
	}
	defer folder.Close()
	lock, err := disk.TryLock(vfs.Plain(folder), stopper())
	if err == nil {
		_ = lock.Unlock() // the lock ends with the process
	}
	if held, ok := errors.AsType[*vfs.HeldError](err); ok && held.Holder.Command == Command {
		return held.Holder.PID
	}
	return 0
}

// poll waits for pollInterval, or until ctx ends.
func poll(ctx context.Context) {
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
		poll(ctx)
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
