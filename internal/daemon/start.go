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

// outputSuffix is the suffix of the output file of a daemon without a terminal.
const outputSuffix = ".out"

// Start runs a command that serves the memex, detached from this process: in its own
// session, without inherited descriptors, its output in a file next to the socket. It
// returns when that daemon answers, or when another was quicker and its own has exited. A
// command that ends without serving prints the reason as JSON on its last line; Start
// returns it as an error of the same kind.
func Start(ctx context.Context, c *config.Config, opts *client.Options, command string, args ...string) (*client.Client, error) {
	socket, err := c.Socket(nil)
	if err == nil {
		err = makePrivate(filepath.Dir(socket))
	}
	if err != nil {
		return nil, fmt.Errorf("start: %w", err)
	}
	name := strings.TrimSuffix(socket, filepath.Ext(socket)) + outputSuffix
	out, err := vfs.OpenPlain(name, os.O_CREATE|os.O_WRONLY|os.O_TRUNC|os.O_APPEND, 0o600) // others may start one, too
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
		return nil, startError(name, err)
	}
	if err != nil {
		return nil, err
	}
	if far.Met.PID != cmd.Process.Pid {
		giveUp(ctx, cmd.Process, ended)
	}
	return far, nil
}

// giveUp ends a daemon that lost the race and waits for its exit: while still starting it
// would take over once the other stops, unwanted by then.
func giveUp(ctx context.Context, late *os.Process, ended <-chan struct{}) {
	_ = late.Signal(syscall.SIGTERM) // it may have exited by itself
	select {
	case <-ended:
	case <-ctx.Done():
	}
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
		f := api.Fault{Op: "start", Title: last.Kind, Detail: last.Error}
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
