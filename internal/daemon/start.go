// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/failure"
	"github.com/fovea-memory/fovea/internal/config"
	"github.com/fovea-memory/fovea/internal/httpapi"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/stores"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// outputSuffix is the suffix of the output file of a daemon without a terminal.
const outputSuffix = ".out"

// Start runs a command that serves the memex, detached from this process: in its own session,
// without inherited descriptors, with its output in a file next to the socket. It returns when that
// daemon answers, or when another was faster and its own has exited. A command that ends without
// serving prints the reason as JSON on its last line; Start returns an error of the same kind.
func Start(ctx context.Context, c *config.Config, opts *httpapi.ClientOptions, command string, args ...string) (*httpapi.Client, error) {
	socket, err := c.Socket()
	if err == nil {
		err = makePrivate(filepath.Dir(socket))
	}
	if err != nil {
		return nil, fmt.Errorf("start: %w", err)
	}
	name := strings.TrimSuffix(socket, filepath.Ext(socket)) + outputSuffix
	out, err := vfs.OpenPlain(name, os.O_CREATE|os.O_WRONLY|os.O_TRUNC|os.O_APPEND, 0o600) // other processes may start one, too
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
	far, err := await(ctx, c, opts, ended)
	if errors.Is(err, ErrNone) {
		return nil, startError(name, err)
	}
	if err != nil {
		return nil, err
	}
	if far.Met.PID != cmd.Process.Pid { // otherwise it would start serving after the other stops
		_ = cmd.Process.Signal(syscall.SIGTERM) // it may have exited by itself
		select {
		case <-ended:
		case <-ctx.Done():
		}
	}
	return far, nil
}

// maxQuotedOutput is the number of bytes of a daemon's output quoted in an error.
const maxQuotedOutput = 2000

// startError returns why a daemon did not start: the error in its log's last line, else the
// end of the log.
func startError(name string, err error) error {
	text, readErr := os.ReadFile(name)
	output := strings.TrimSpace(strings.ToValidUTF8(string(text), "?"))
	if readErr != nil || output == "" {
		return fmt.Errorf("start: %w; the output of the process that was started is in %s", err, name)
	}
	var last struct{ Error, Kind string }
	if json.Unmarshal([]byte(output[strings.LastIndex(output, "\n")+1:]), &last) == nil && last.Error != "" {
		f := api.Fault{Title: last.Kind, Detail: last.Error, Error: failure.Error{Op: "start"}}
		return f.Err()
	}
	return fmt.Errorf("start: the daemon ended: %s", strings.TrimPrefix(output[max(0, len(output)-maxQuotedOutput):], "fovea: "))
}

// Unit returns a systemd unit that serves a memex for the user who installs it as
// ~/.config/systemd/user/fovea.service.
func Unit(command, memex string) string {
	quote := func(s string) string {
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "%", "%%", "$", "$$", "\n", `\n`).Replace(s) + `"`
	}
	return fmt.Sprintf(`[Unit]
Description=Fovea, the memory of %s

[Service]
ExecStart=%s serve --memex %s
Restart=on-failure
NoNewPrivileges=yes
LockPersonality=yes
RestrictRealtime=yes
UMask=0077

[Install]
WantedBy=default.target
`, strings.ReplaceAll(strings.Join(strings.Fields(memex), " "), "%", "%%"), quote(command), quote(memex))
}

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
	for { // a store that is not writable has no lock: wait until no daemon answers
		other, err := find(ctx, c, nil, true)
		if err != nil {
			return released(ctx, h.StateDir)
		}
		other.Close()
		if !wait(ctx, pollInterval) {
			return ctx.Err()
		}
	}
}

// findStarted returns a client of the daemon that serves a memex, under any path. It waits for a
// daemon that is starting.
func findStarted(ctx context.Context, c *config.Config) (*httpapi.Client, error) {
	for {
		far, err := find(ctx, c, nil, true)
		if !errors.Is(err, ErrNone) {
			return far, err
		}
		pid := holder(c.StateDir)
		if pid == 0 {
			return nil, err
		}
		if !wait(ctx, pollInterval) {
			return nil, fmt.Errorf("process %d is starting or stopping as a daemon and does not answer; try again, or end it: %w", pid, ctx.Err())
		}
	}
}

// Command is the name of a daemon in its locks.
const Command = "fovea serve"

// holder returns the process id of the daemon that holds a store, 0 if none does. One that does
// not answer is starting or stopping.
func holder(stateDir string) int {
	if !stores.Begun(stateDir) {
		return 0
	}
	ctx, end := context.WithCancel(context.Background())
	end() // do not wait
	if held, ok := errors.AsType[*vfs.HeldError](released(ctx, stateDir)); ok && held.Holder.Command == Command {
		return held.Holder.PID
	}
	return 0
}

// released returns when the lock of a state folder is free: a daemon holds it until it has written
// everything. A folder that is missing or not writable counts as free.
func released(ctx context.Context, stateDir string) error {
	folder, err := vfs.Dir(stateDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer folder.Close()
	lock, err := vfs.LockFile(ctx, vfs.Plain(folder), store.LockFile, vfs.Holder{PID: os.Getpid(), Command: Command + " --stop", Since: time.Now()})
	if vfs.Unwritable(err) {
		return nil
	}
	if err != nil {
		return err
	}
	return lock.Unlock()
}
