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
	"sync"
	"time"
)

// sshWait is how long ssh has to connect, and to end.
const sshWait = 20 * time.Second

// openSSH runs fovea remote serve on another machine. ssh must need no password: nobody may be
// there to type it.
func openSSH(ctx context.Context, address string) (Place, error) {
	args, err := sshArgs(address)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(context.WithoutCancel(ctx), "ssh", args...)
	var said tail
	cmd.Stderr = &said
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
		_ = in.Close() // one that still writes does not keep it waiting
		return cmd.Wait()
	})
	if _, err := p.List(ctx, "heads/"); err != nil { // a failed connection shows at once
		_ = p.Close()
		return nil, fmt.Errorf("remote: %s: %w", address, said.because(err, cmd.ProcessState.ExitCode()))
	}
	return p, nil
}

// hangUp is the input of a process that is killed if it does not end some time after it.
type hangUp struct {
	io.WriteCloser
	answers io.Closer // a program that it started may keep it open
	process *os.Process
}

func (h hangUp) Close() error {
	time.AfterFunc(sshWait, func() { _ = errors.Join(h.process.Kill(), h.answers.Close()) }) // of a process that has ended, it does nothing
	return h.WriteCloser.Close()
}

// because returns why ssh ended with a code: what to do about it where that is known, else what it
// said. With 255, it is ssh that failed, and not what runs there.
func (t *tail) because(err error, code int) error {
	said := t.String()
	for _, known := range []struct{ says, do string }{
		{"REMOTE HOST IDENTIFICATION HAS CHANGED", "the machine that answers has another key than the one in known_hosts: somebody stands between, or it was " +
			"set up anew; if you know why, remove the old key with ssh-keygen -R and connect once with ssh"},
		{"Host key verification failed", "the key of this machine is not known yet; connect once with ssh, and compare its fingerprint"},
		{"Permission denied", "it does not let this machine in; ssh must need no password there, see ssh-copy-id and ssh-agent"},
	} {
		if strings.Contains(said, known.says) {
			return errors.New(known.do)
		}
	}
	switch {
	case code == 127 || strings.Contains(said, "fovea: command not found"):
		return errors.New("there is no fovea there, neither on the PATH of a command that ssh runs nor in ~/go/bin, ~/.local/bin or /usr/local/bin; " +
			"put it, or a link to it, into one of them")
	case said == "":
		return err
	case code == 255:
		return fmt.Errorf("%w: %s", ErrNoAnswer, said)
	}
	return errors.New(said)
}

// sshArgs are the arguments of ssh for an address.
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
	// A command that ssh runs has a short PATH, without the folder that go install writes to. The
	// path is one word for the shell there, which may be csh or fish. /~/ begins with the home folder.
	dir := u.Path
	if rest, ok := strings.CutPrefix(dir, "/~/"); ok {
		dir = rest
	}
	return append(args, "--", host,
		`sh -c 'PATH=$PATH:$HOME/go/bin:$HOME/.local/bin:/usr/local/bin; exec fovea remote serve "$0"' '`+strings.ReplaceAll(dir, "'", `'\''`)+"'"), nil
}

// tail keeps the end of a program's output.
type tail struct {
	mu   sync.Mutex
	text []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	t.text = t.text[max(0, len(t.text)-2000):]
	return len(p), nil
}

// String returns the end as one line.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.ToValidUTF8(strings.Join(strings.Fields(string(t.text)), " "), "\uFFFD")
}
