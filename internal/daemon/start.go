// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/internal/client"
	"github.com/fovea-memory/fovea/internal/config"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// outputSuffix makes of the name of the socket that of the file which a daemon
// without a terminal writes to.
const outputSuffix = ".out"

// Start runs a command that serves the memex, cut off from this process: in a
// session of its own, with nothing of ours open, its output beside the socket.
// It returns when the daemon answers, or the one does that was quicker: ours has ended
// then. A command that ends without serving is told to say why in JSON, on its last line:
// Start returns an error that says the same and is of the same kind.
func Start(ctx context.Context, c *config.Config, opts *client.Options, command string, args ...string) (*client.Client, error) {
	socket, err := c.Socket(nil)
	if err == nil {
		err = makePrivate(filepath.Dir(socket))
	}
	if err != nil {
		return nil, fmt.Errorf("start: %w", err)
	}
	name := strings.TrimSuffix(socket, filepath.Ext(socket)) + outputSuffix
	out, err := vfs.OpenPlain(name, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, fmt.Errorf("start: %w", err)
	}
	defer out.Close()
	closeInherited()
	cmd := exec.Command(command, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.SysProcAttr = "/", out, out, detached()
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start: %w", err)
	}
	ended := make(chan struct{})
	go func() { _ = cmd.Wait(); close(ended) }()
	far, err := Await(ctx, c, opts, ended)
	if errors.Is(err, ErrNone) {
		return nil, fmt.Errorf("start: %w", startError(name, err))
	}
	if err != nil {
		return nil, err
	}
	h, err := far.Hello(ctx)
	if err == nil && h.PID != cmd.Process.Pid {
		giveUp(ctx, cmd.Process, ended)
	}
	return far, nil
}

// giveUp ends a daemon that came too late, and returns when it has: one that is still
// starting would serve when the other stops, though nobody wants it by then.
func giveUp(ctx context.Context, late *os.Process, ended <-chan struct{}) {
	_ = late.Signal(syscall.SIGTERM) // it may have ended by itself
	select {
	case <-ended:
	case <-ctx.Done():
	}
}

// lastWords is the number of bytes of a daemon's log that an error quotes.
const lastWords = 2000

// startError returns why a daemon did not start: the error in the last line of its log,
// else the end of the log.
func startError(name string, err error) error {
	text, readErr := os.ReadFile(name)
	words := strings.TrimSpace(strings.ToValidUTF8(string(text), "?"))
	if readErr != nil || words == "" {
		return fmt.Errorf("%w; %s has what the one said that was started", err, name)
	}
	var last struct{ Error, Kind string }
	if json.Unmarshal([]byte(words[strings.LastIndex(words, "\n")+1:]), &last) == nil && last.Error != "" {
		f := api.Fault{Op: "start", Title: last.Kind, Detail: last.Error}
		return f.Err()
	}
	return fmt.Errorf("the daemon ended: %s", strings.TrimPrefix(words[max(0, len(words)-lastWords):], "fovea: "))
}
