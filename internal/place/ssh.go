// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package place

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"time"
)

// sshWait bounds the time that ssh takes to connect, and to end.
const sshWait = 20 * time.Second

// openSSH runs fovea remote serve on another machine. ssh must not need a password, which no one may
// be there to type.
func openSSH(ctx context.Context, address string) (Place, error) {
	args, err := sshArgs(address)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(context.WithoutCancel(ctx), "ssh", args...)
	var output tail
	cmd.Stderr = &output
	cmd.WaitDelay = sshWait
	to, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	in, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("remote: %w; install ssh, or use a folder", err)
	}
	p := Pipe(in, hangUp{to, in, cmd.Process}, func() error {
		_ = in.Close() // do not wait for a process that still writes
		return cmd.Wait()
	})
	if _, err := p.List(ctx, "heads/"); err != nil { // reports a failed connection at once
		_ = p.Close()
		return nil, fmt.Errorf("remote: %s: %w", address, output.because(err, cmd.ProcessState.ExitCode()))
	}
	return p, nil
}

// hangUp is the input of a process, which is killed if it does not end within sshWait of its input.
type hangUp struct {
	io.WriteCloser
	answers io.Closer // a child process may keep it open
	process *os.Process
}

func (h hangUp) Close() error {
	time.AfterFunc(sshWait, func() { _ = errors.Join(h.process.Kill(), h.answers.Close()) }) // does nothing if the process has ended
	return h.WriteCloser.Close()
}

// because returns why ssh ended with a code: what to do, if that is known, otherwise its output. Code
// 255 means that ssh itself failed, not the program that it ran.
func (t *tail) because(err error, code int) error {
	output := t.String()
	for _, known := range []struct{ output, do string }{
		{"REMOTE HOST IDENTIFICATION HAS CHANGED", "the machine that answers has another key than the one in known_hosts: someone intercepts the connection, " +
			"or it was reinstalled; if you know why, remove the old key with ssh-keygen -R and connect once with ssh"},
		{"Host key verification failed", "the key of this machine is not known yet; connect once with ssh, and compare its fingerprint"},
		{"Permission denied", "it refuses this machine; ssh must not need a password there, see ssh-copy-id and ssh-agent"},
	} {
		if strings.Contains(output, known.output) {
			return errors.New(known.do)
		}
	}
	switch {
	case code == 127 || strings.Contains(output, "fovea: command not found"):
		return errors.New("there is no fovea there, neither on the PATH of a command that ssh runs nor in ~/go/bin, ~/.local/bin or /usr/local/bin; " +
			"put it, or a link to it, into one of them")
	case output == "":
		return err
	case code == 255:
		return fmt.Errorf("%w: %s", ErrNoAnswer, output)
	}
	return errors.New(output)
}

// sshArgs returns the arguments of ssh for an address.
func sshArgs(address string) ([]string, error) {
	u, err := url.Parse(address)
	if err == nil && u.User != nil {
		if _, has := u.User.Password(); has {
			return nil, fmt.Errorf("%w; leave the password out of the address: ssh uses its keys", ErrURL)
		}
	}
	if err != nil || u.Hostname() == "" || len(u.Path) < 2 || strings.HasPrefix(u.Hostname(), "-") || strings.HasPrefix(u.User.Username(), "-") {
		return nil, fmt.Errorf("%s: %w", Shown(address), ErrURL)
	}
	args := []string{"-T", "-o", "BatchMode=yes", "-o", fmt.Sprintf("ConnectTimeout=%d", int(sshWait.Seconds())),
		"-o", "ServerAliveInterval=10", "-o", "ServerAliveCountMax=3"}
	if u.Port() != "" {
		args = append(args, "-p", u.Port())
	}
	host := u.Hostname()
	if u.User.Username() != "" {
		host = u.User.Username() + "@" + host
	}
	// A command that ssh runs has a short PATH, without the folder of go install. The path is one word
	// for the shell there, which may be csh or fish. A path below /~/ is relative to the home folder.
	dir := u.Path
	if rest, ok := strings.CutPrefix(dir, "/~/"); ok {
		dir = rest
	}
	return append(args, "--", host,
		`sh -c 'PATH=$PATH:$HOME/go/bin:$HOME/.local/bin:/usr/local/bin; exec fovea remote serve "$0"' '`+strings.ReplaceAll(dir, "'", `'\''`)+"'"), nil
}

// tail keeps the end of a program's output. It is read only after the program has ended.
type tail struct{ text []byte }

func (t *tail) Write(p []byte) (int, error) {
	t.text = append(t.text, p...)
	t.text = t.text[max(0, len(t.text)-2000):]
	return len(p), nil
}

// String returns the end as one line.
func (t *tail) String() string {
	return strings.ToValidUTF8(strings.Join(strings.Fields(string(t.text)), " "), "\uFFFD")
}
