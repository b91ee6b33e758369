// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package corpus

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/merkle"
)

// someHost is a machine on which only process 7 is running.
func someHost() Host {
	return Host{Name: "desk.example.org", Boot: 1_700_000_000, Runs: func(pid int) bool { return pid == 7 }}
}

func TestEditorLock(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		want       Holder
	}{
		{"running", "ann@desk.example.org.7", HolderRunning},
		{"running since the same start", "ann@desk.example.org.7:1700000001", HolderRunning},
		{"boot time unknown to Emacs", "ann@desk.example.org.7:0", HolderRunning},
		{"gone", "ann@desk.example.org.8", HolderGone},
		{"from before the machine was started", "ann@desk.example.org.7:1699990000", HolderGone},
		{"another host", "ann@other.7", HolderUnknown},
		{"another host, part of the name", "ann@desk.7", HolderUnknown},
		{"a user with an at", "ann@home@desk.example.org.8", HolderGone},
		{"no process", "ann@desk.example.org.", HolderUnknown},
		{"negative process", "ann@desk.example.org.-7", HolderUnknown},
		{"no boot time", "ann@desk.example.org.7:x", HolderUnknown},
		{"no form at all", "editing", HolderUnknown},
		{"empty", "", HolderUnknown},
	} {
		for _, kind := range []string{"link", "file"} {
			t.Run(tc.name+" "+kind, func(t *testing.T) {
				if tc.text == "" && kind == "link" {
					t.Skip("a link cannot be empty")
				}
				dir := t.TempDir()
				lock := filepath.Join(dir, ".#a.org")
				err := os.WriteFile(lock, []byte(tc.text+"\n"), 0o600)
				if kind == "link" {
					err = errors.Join(os.Remove(lock), os.Symlink(tc.text, lock))
				}
				if err != nil {
					t.Fatal(err)
				}
				r := open(t, dir, &Options{Host: someHost()})
				got, held := r.EditorLock("a.org")
				if held != (tc.want != HolderGone) || held && (got.Holder != tc.want || got.Owner != tc.text) {
					t.Errorf("got %+v, %v; want holder %d", got, held, tc.want)
				}
				if _, held := r.EditorLock("b.org"); held {
					t.Error("the file beside it is held too")
				}
			})
		}
	}
}

// TestThisHost: this process is running, and no process has the largest number.
func TestThisHost(t *testing.T) {
	h := ThisHost()
	if h.Name == "" || !h.Runs(os.Getpid()) {
		t.Errorf("%q does not run this process", h.Name)
	}
	if got := h.holder(fmt.Sprintf("ann@%s.%d:%d", h.Name, os.Getpid(), h.Boot)); got != HolderRunning {
		t.Errorf("holder %d, want Running", got)
	}
	if h.Runs(1<<30) && filepath.Separator == '/' {
		t.Error("an impossible process is running")
	}
}

func FuzzEditorLock(f *testing.F) {
	for _, text := range []string{"ann@desk.example.org.7:1", "@.", "a@b.1:", "::@@..", "a@desk.example.org.99999999999999999999"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if got := someHost().holder(text); got != HolderUnknown && !strings.Contains(text, "@desk.example.org.") {
			t.Errorf("%q is judged to be of this host: %d", text, got)
		}
	})
}

// emacs is a real Emacs process that evaluates one form per line.
type emacs struct {
	t   *testing.T
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Scanner
}

func startEmacs(t *testing.T) *emacs {
	t.Helper()
	e := &emacs{t: t, cmd: exec.CommandContext(t.Context(), foveatest.Part(t, "emacs"), "-Q", "--batch", "--eval",
		`(while t (eval (car (read-from-string (read-string "")))) (princ "done\n"))`)}
	var err error
	if e.in, err = e.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := e.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	e.out = bufio.NewScanner(out)
	if err := e.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.kill)
	return e
}

func (e *emacs) kill() {
	_ = e.cmd.Process.Kill()
	_ = e.cmd.Wait()
}

func (e *emacs) do(form string) {
	e.t.Helper()
	if _, err := fmt.Fprintln(e.in, form); err != nil {
		e.t.Fatal(err)
	}
	for e.out.Scan() {
		if strings.HasSuffix(e.out.Text(), "done") {
			return
		}
	}
	e.t.Fatalf("Emacs ended: %v", e.out.Err())
}

// TestEmacsHolds: while Emacs has unsaved changes, writes fail; after it has saved, the
// base no longer matches; the lock of a killed Emacs is ignored.
func TestEmacsHolds(t *testing.T) {
	e := startEmacs(t)
	dir := t.TempDir()
	name := filepath.Join(dir, "a.org")
	if err := os.WriteFile(name, []byte("* One\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	r := open(t, dir, nil)
	base := merkle.Sum([]byte("* One\n"))
	staged, err := r.Stage("a.org", base, Next{Text: "* Fovea\n"}, nil)
	if err != nil {
		t.Fatal(err)
	}

	e.do(fmt.Sprintf("(progn (find-file %q) (goto-char (point-max)) (insert \"* Mine\\n\"))", name))
	for what, err := range map[string]error{"apply": staged.Apply(), "stage": stageError(r, "a.org", base)} {
		busy, ok := errors.AsType[*BusyError](err)
		if !ok || !errors.Is(err, ErrBusy) || busy.Lock.Holder != HolderRunning || !strings.Contains(err.Error(), fmt.Sprint(e.cmd.Process.Pid)) {
			t.Errorf("%s: got %v, want ErrBusy that names the process", what, err)
		}
	}
	e.do("(save-buffer)")
	err = stageError(r, "a.org", base)
	changed, ok := errors.AsType[*ChangedError](err)
	saved := merkle.Sum([]byte("* One\n* Mine\n"))
	if !ok || !errors.Is(err, ErrChanged) || changed.Base != base || changed.Have != saved {
		t.Errorf("after the save: got %v, want ErrChanged with both digests", err)
	}

	e.do(`(insert "* More\n")`)
	if err := stageError(r, "a.org", saved); !errors.Is(err, ErrBusy) {
		t.Errorf("modified again: got %v, want ErrBusy", err)
	}
	e.kill()
	if _, err := os.Lstat(filepath.Join(dir, ".#a.org")); err != nil {
		t.Fatalf("the killed Emacs left no lock: %v", err)
	}
	if err := stageError(r, "a.org", saved); err != nil {
		t.Errorf("a lock without a holder: %v", err)
	}
}

// stageError stages a write, discards it and returns the error.
func stageError(r *Root, name string, base merkle.Digest) error {
	w, err := r.Stage(name, base, Next{Text: "* Fovea\n"}, nil)
	if err == nil {
		err = w.Discard()
	}
	return err
}
