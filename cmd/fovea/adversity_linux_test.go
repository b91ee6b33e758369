// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/internal/foveatest"
)

// TestFileSizeLimit bounds the size of every file that the command writes: it
// fails or does its work, and nothing printed before is lost.
func TestFileSizeLimit(t *testing.T) {
	o := newOwner(t, foveatest.NewCampaign(t))
	o.run([]string{"ingest"}, false)
	failed := 0
	for _, blocks := range []int{0, 1, 4, 16, 64, 256} { // of 512 bytes, or of 1024
		for _, words := range [][]string{{"ingest"}, {"edit", "n00-1", "--title", fmt.Sprintf("Under %d", blocks)}, {"snapshot", "name"}} {
			where := fmt.Sprintf("%s, files of at most %d blocks", strings.Join(words, " "), blocks)
			if words[0] == "ingest" {
				o.save(blocks % 12)
			}
			before, head := o.files(), o.head()
			plain := o.command(t.Context(), words...)
			c := exec.CommandContext(t.Context(), "sh", append([]string{"-c", fmt.Sprintf(`ulimit -f %d; exec "$0" "$@"`, blocks), plain.Path}, plain.Args[1:]...)...)
			c.Env = plain.Env
			var out, complaint bytes.Buffer
			c.Stdout, c.Stderr = &out, &complaint
			if err := c.Run(); err != nil {
				failed++
			}
			if strings.Contains(complaint.String(), "goroutine ") {
				t.Fatalf("%s: panic:\n%s", where, complaint.Bytes())
			}
			o.note(out.Bytes())
			if after := o.head(); words[0] == "edit" && (after == head) != cmp.Equal(before, o.files()) {
				t.Fatalf("%s: from commit %d to %d:\n%s", where, head, after, complaint.Bytes())
			}
			o.check(where)
		}
	}
	if failed == 0 {
		t.Error("no command met the limit")
	}
}

// TestFoldersOfAnother: where memex or journal may not be written, the command says
// so and changes nothing. Root may write everywhere, so there it runs as nobody.
func TestFoldersOfAnother(t *testing.T) {
	root, err := os.MkdirTemp("", "fovea-folders") // t.TempDir is closed to nobody
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(root) })
	memex, state := filepath.Join(root, "memex"), filepath.Join(root, "state")
	note := filepath.Join(memex, "a.org")
	if err := errors.Join(os.Chmod(root, 0o777), os.Mkdir(memex, 0o777), os.Chmod(memex, 0o777), os.WriteFile(note, []byte("* A\n"), 0o644),
		os.Chmod(note, 0o666)); err != nil {
		t.Fatal(err)
	}
	const nobody = 65534
	run := func(words ...string) (string, error) {
		c := process(t, state, append(words, "--memex", memex)...)
		if os.Getuid() == 0 {
			c.Path = readable(t, root)
			c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
			c.Env = append(c.Env, "HOME="+root, "XDG_CONFIG_HOME="+root)
		}
		out, err := c.CombinedOutput()
		return string(out), err
	}
	if out, err := run("ingest"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, tc := range []struct {
		name, folder, want string
		mode               os.FileMode
	}{
		{"memex", memex, "read-only", 0o777},
		{"journal", filepath.Join(state, "journal"), "permission denied", 0o700},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if err := os.Chmod(tc.folder, 0o555); err != nil {
				t.Fatal(err)
			}
			files := []string{tc.folder}
			if tc.name == "journal" {
				files = append(files, filepath.Join(tc.folder, "00000001.j"))
				if err := os.Chmod(files[1], 0o444); err != nil {
					t.Fatal(err)
				}
			}
			out, err := run("edit", "A", "--title", "B")
			for _, name := range files {
				if err := os.Chmod(name, tc.mode); err != nil {
					t.Fatal(err)
				}
			}
			if err == nil || !strings.Contains(out, tc.want) || strings.Contains(out, "goroutine ") {
				t.Errorf("%v, want %q in\n%s", err, tc.want, out)
			}
			if text, err := os.ReadFile(note); err != nil || string(text) != "* A\n" {
				t.Errorf("the file holds %q, %v", text, err)
			}
		})
	}
	if out, err := run("edit", "A", "--title", "B"); err != nil {
		t.Errorf("writable again: %v\n%s", err, out)
	}
}

// TestOwnerIsNamed: who finds the store taken by another process is told which.
func TestOwnerIsNamed(t *testing.T) {
	memex, state := filepath.Join(t.TempDir(), "memex"), filepath.Join(t.TempDir(), "state")
	if err := foveatest.GenFiles(memex, 300, 5); err != nil {
		t.Fatal(err)
	}
	c := process(t, state, "ingest", "--memex", memex)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	for {
		m, err := fovea.Open(t.Context(), memex, &fovea.Options{StateDir: state})
		if err == nil {
			_ = m.Close() // the process has not begun, or has ended
		} else if pid := fmt.Sprint(c.Process.Pid); fovea.KindOf(err) != fovea.Conflict {
			t.Fatal(err)
		} else if strings.Contains(err.Error(), pid) && strings.Contains(err.Error(), "fovea") {
			break
		}
		select {
		case err := <-ended:
			t.Fatalf("the process ended, %v, and was never named", err)
		default:
		}
	}
	if err := <-ended; err != nil {
		t.Errorf("the owner: %v", err)
	}
}
