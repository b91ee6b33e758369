// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package place

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/internal/transfer"
)

func TestRemotePage(t *testing.T) {
	foveatest.FormatPage(t, "../../doc/format/remote.md", map[string]int{
		"Format": Format, "HeadFormat": HeadFormat, "MaxObject": MaxObject, "PieceSize": PieceSize, "MaxPacks": MaxPacks, "MaxPieces": MaxPieces,
	})
}

// TestSSHInEveryShell: whichever shell the other machine has, the program that go install has put
// there is found and gets the path as one word, and one that is missing is said.
func TestSSHInEveryShell(t *testing.T) {
	home := t.TempDir()
	program := filepath.Join(home, "go", "bin", "fovea")
	if err := errors.Join(os.MkdirAll(filepath.Dir(program), 0o700), os.WriteFile(program, []byte("#!/bin/sh\nprintf '%s|' \"$@\"\n"), 0o700)); err != nil {
		t.Fatal(err)
	}
	const dir = `it's "my" $HOME`
	args, err := sshArgs("ssh://box/~/" + dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, shell := range []string{"sh", "dash", "bash", "zsh", "fish", "tcsh"} {
		for _, at := range []string{home, t.TempDir()} {
			c := exec.Command(shell, "-c", args[len(args)-1])
			c.Env = []string{"HOME=" + at, "PATH=/usr/bin:/bin"}
			out, err := c.CombinedOutput()
			switch {
			case errors.Is(err, exec.ErrNotFound): // not on this machine
			case at == home && (err != nil || string(out) != "remote|serve|"+dir+"|"):
				t.Errorf("%s: %s %v", shell, out, err)
			case at != home && c.ProcessState.ExitCode() != 127:
				t.Errorf("%s, without the program: %s %v", shell, out, err)
			}
		}
	}
}

// TestSSHArguments: nothing in an address becomes an option of ssh, or a command of the shell
// there.
func TestSSHArguments(t *testing.T) {
	const run = `sh -c 'PATH=$PATH:$HOME/go/bin:$HOME/.local/bin:/usr/local/bin; exec fovea remote serve "$0"' `
	for address, want := range map[string][]string{
		"ssh://box/srv/notes":            {"--", "box", run + "'/srv/notes'"},
		"ssh://me@box:2222/~/my notes":   {"-p", "2222", "--", "me@box", run + "'my notes'"},
		"ssh://box/a'; rm -rf ~; echo '": {"--", "box", run + `'/a'\''; rm -rf ~; echo '\'''`},
	} {
		got, err := sshArgs(address)
		if err != nil || !slices.Equal(got[len(got)-len(want):], want) {
			t.Errorf("%s: %q, %v, want %q", address, got, err, want)
		}
	}
	for _, address := range []string{"ssh://-oProxyCommand=x/srv", "ssh://-o@box/srv", "ssh:///srv", "ssh://box", "ssh://box/", "ssh://me:secret@box/srv"} {
		if got, err := sshArgs(address); err == nil {
			t.Errorf("%s: %q", address, got)
		}
	}
	for _, address := range []string{
		"ssh:///srv", "ssh://me:secret@box/srv", "ssh://me:secret@", "ssh://me:se%zzcret@box/srv", "https://me:secret@box/srv?key=secret", "s4://secret@b/p",
	} {
		_, err := Create(t.Context(), address, nil)
		if !errors.Is(err, ErrURL) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", address, err)
		}
	}
}

func TestNewMachine(t *testing.T) {
	for _, like := range []string{"", "laptop", "laptop.local", "a b/../c", "é", NewMachine("x")} {
		if name := NewMachine(like); !machineName.MatchString(name) || CheckObject(HeadFolder+name) != nil {
			t.Errorf("%q gives %q", like, name)
		}
	}
	if one, other := NewMachine("a"), NewMachine("a"); one == other {
		t.Error("two machines have one name")
	}
}

// TestPipeIdle: another machine that takes or sends nothing any more, or a byte a second, is given up
// after maxIdle, and one that is only slow is not.
func TestPipeIdle(t *testing.T) {
	for name, serve := range map[string]func(from io.Reader, to io.Writer){
		"takes nothing": func(io.Reader, io.Writer) {},
		"sends nothing": func(from io.Reader, _ io.Writer) { _, _ = io.Copy(io.Discard, from) },
		"sends a part": func(from io.Reader, to io.Writer) {
			_, _ = from.Read(make([]byte, 1<<20))
			_, _ = io.WriteString(to, `{"data":"`)
			_, _ = io.Copy(io.Discard, from)
		},
		"sends a byte a second": func(from io.Reader, to io.Writer) {
			_, _ = from.Read(make([]byte, 1<<20))
			for range 10 * maxIdle / time.Second {
				<-time.After(time.Second)
				if _, err := io.WriteString(to, " "); err != nil {
					return
				}
			}
			_, _ = io.WriteString(to, `{"names":["a"]}`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				_, err := piped(t, serve).List(t.Context(), "heads/")
				if !errors.Is(err, errIdle) || !errors.Is(err, ErrNoAnswer) {
					t.Error(err)
				}
				<-time.After(2 * time.Second) // the other side sees that the pipe is closed
			})
		})
	}
	synctest.Test(t, func(t *testing.T) {
		got, err := piped(t, func(from io.Reader, to io.Writer) {
			_, _ = from.Read(make([]byte, 1<<20))
			for part := range slices.Chunk([]byte(`{"names":["a"]`+strings.Repeat(" ", 1<<20)+"}"), transfer.MinRate) {
				<-time.After(time.Second)
				_, _ = to.Write(part)
			}
		}).List(t.Context(), "")
		if err != nil || !slices.Equal(got, []string{"a"}) {
			t.Errorf("a slow one: %q, %v", got, err)
		}
	})
}

// piped is the place behind a pipe to serve, whose end also ends what is read from it, as that of
// a process does.
func piped(t *testing.T, serve func(from io.Reader, to io.Writer)) Place {
	from, to := io.Pipe()
	back, answer := io.Pipe()
	go serve(from, answer)
	p := Pipe(back, hungUp{to, answer}, func() error { return nil })
	t.Cleanup(func() { _ = errors.Join(p.Close(), from.Close(), back.Close()) })
	return p
}

type hungUp struct{ to, answer *io.PipeWriter }

func (h hungUp) Write(p []byte) (int, error) { return h.to.Write(p) }

func (h hungUp) Close() error { return errors.Join(h.to.Close(), h.answer.Close()) }

// TestPipeErrorIsBrief: an error of another machine does not fill the screen.
func TestPipeErrorIsBrief(t *testing.T) {
	p := piped(t, func(from io.Reader, to io.Writer) {
		_, _ = from.Read(make([]byte, 1<<20))
		_, _ = io.WriteString(to, `{"error":"`+strings.Repeat("\u00e4", 1<<20)+`"}`)
	})
	if _, err := p.List(t.Context(), ""); err == nil || len(err.Error()) > 2*maxReport {
		t.Errorf("%.80v", err)
	}
}
