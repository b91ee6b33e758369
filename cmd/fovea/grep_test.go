// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea/internal/foveatest"
)

// jumps visits each line of a file as M-x compile and M-x grep do, and prints what stands
// at point then.
const jumps = `
(require 'compile) (require 'grep)
(let ((lines (with-temp-buffer (insert-file-contents (pop command-line-args-left)) (buffer-string)))
      (dir (pop command-line-args-left)) (mode (intern (pop command-line-args-left))))
  (with-current-buffer (get-buffer-create "*hits*")
    (setq default-directory (file-name-as-directory dir))
    (insert "\n\n" lines)
    (funcall mode)
    (goto-char (point-min))
    (condition-case nil
        (while t
          (next-error)
          (with-current-buffer (window-buffer (selected-window))
            (princ (format "%s\t%s\n" (file-name-nondirectory (buffer-file-name))
                           (buffer-substring-no-properties (if (eq mode 'grep-mode) (line-beginning-position) (point))
                                                           (line-end-position))))))
      (user-error nil))))`

// TestEmacsJumps: Emacs jumps from each line of --format grep to the word that was found,
// and to the right line where it reads no columns.
func TestEmacsJumps(t *testing.T) {
	t.Parallel()
	emacs := foveatest.Part(t, "emacs")
	dir := t.TempDir()
	memex := filepath.Join(dir, "memex")
	if err := os.CopyFS(memex, os.DirFS("../../examples/memex")); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(memex, "odd.org"), "* Čaj\n\tž\tthe rivet behind tabs\n* 記憶の木 rivet 記\n* 12:30: rivet lunch\n* Late\n12:30: rivets again\n9. rivet\n")
	write(t, filepath.Join(memex, "a b-c.org"), "* An é rivet\n")
	env := append(os.Environ(), asCommand+"=1", "HOME="+dir, "XDG_STATE_HOME="+filepath.Join(dir, "state"), "XDG_CONFIG_HOME="+filepath.Join(dir, "config"),
		"XDG_RUNTIME_DIR="+filepath.Join(dir, "run"), "MEMORY_SNAPSHOT_PATH=", "FOVEA_MEMEX="+memex, "LC_ALL=C.UTF-8")
	for _, tc := range []struct {
		name, from string
		words      []string
		least      int
	}{
		{"search", memex, []string{"search", "rivets", "--limit", "14"}, 10},
		{"search from a folder", filepath.Join(memex, "notes"), []string{"search", "rivets", "--limit", "14"}, 10},
		{"query", memex, []string{"query", "rivet"}, 10},
	} {
		for _, mode := range []string{"compilation-mode", "grep-mode"} {
			t.Run(tc.name+" "+mode, func(t *testing.T) {
				c := exec.CommandContext(t.Context(), os.Args[0], append(tc.words, "--format", "grep")...)
				c.Env, c.Dir = env, tc.from
				out, err := c.Output()
				if err != nil {
					t.Fatal(err)
				}
				hits, script := filepath.Join(t.TempDir(), "hits"), filepath.Join(t.TempDir(), "jump.el")
				write(t, hits, string(out))
				write(t, script, jumps)
				e := exec.CommandContext(t.Context(), emacs, "-Q", "--batch", "-l", script, hits, tc.from, mode)
				e.Env, e.Stderr = env, t.Output()
				got, err := e.Output()
				if err != nil {
					t.Fatal(err)
				}
				printed, visited := lines(string(out)), lines(string(got))
				if len(printed) < tc.least || len(visited) != len(printed) {
					t.Fatalf("Emacs visits %d places of %d:\n%s\n%s", len(visited), len(printed), got, out)
				}
				for i, line := range visited {
					file, text, _ := strings.Cut(line, "\t")
					_, want, _ := strings.Cut(printed[i], ": ")
					right := strings.HasSuffix(want, text) && strings.HasPrefix(strings.ToLower(text), "rivet")
					if mode == "grep-mode" || !strings.Contains(strings.ToLower(want), "rivet") { // found by the notes around it
						right = text == want
					}
					if !right || !strings.Contains(printed[i], file+":") {
						t.Errorf("from %q Emacs goes to %q in %s", printed[i], text, file)
					}
				}
			})
		}
	}
}
