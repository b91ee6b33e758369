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

// asksFromEmacs asks the daemon with what Emacs has by itself: the address and its
// token are in the file http.json, the first argument.
const asksFromEmacs = `
(require 'json) (require 'url)
(let* ((address (json-read-file (pop command-line-args-left)))
       (ask (lambda (operation request)
         (let ((url-request-method "POST")
               (url-request-extra-headers (list (cons "Content-Type" "application/json")
                 (cons "Authorization" (concat "Bearer " (cdr (assq 'token address))))))
               (url-request-data (encode-coding-string (json-encode request) 'utf-8)))
           (with-current-buffer (url-retrieve-synchronously (concat (cdr (assq 'url address)) "/v1/" operation) t)
             (goto-char url-http-end-of-headers)
             (decode-coding-string (buffer-substring (point) (point-max)) 'utf-8))))))
  (funcall ask "edit" '((id . "Oak") (todo . "DONE")))
  (princ (funcall ask "query" '((query . "todo:DONE")))))`

// TestEmacsReaches: a program that is no client of ours, Emacs, changes the memory
// and asks it over HTTP.
func TestEmacsReaches(t *testing.T) {
	emacs := foveatest.Part(t, "emacs")
	s := newServed(t)
	file := filepath.Join(s.memex, "a.org")
	if err := os.WriteFile(file, []byte("* TODO Oak\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.run("serve", "--detach", "--http", "--quiet")
	script := filepath.Join(t.TempDir(), "ask.el")
	if err := os.WriteFile(script, []byte(asksFromEmacs), 0o600); err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), emacs, "-Q", "--batch", "-l", script, filepath.Join(s.state, "http.json"))
	c.Env = append(os.Environ(), "HOME="+t.TempDir())
	c.Stderr = t.Output()
	got, err := c.Output()
	if err != nil || !strings.Contains(string(got), `"title":"Oak"`) {
		t.Errorf("Emacs was told %q, %v", got, err)
	}
	if text, err := os.ReadFile(file); err != nil || !strings.HasPrefix(string(text), "* DONE Oak\n") {
		t.Errorf("the file holds %q, %v", text, err)
	}
}

// emacsFiles returns the client for Emacs, its tests, and the words by which an Emacs that
// is given an environment for daemons of this build loads both.
func emacsFiles(t testing.TB) (client string, load []string) {
	folder, err := filepath.Abs(filepath.Join("..", "..", "emacs"))
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(folder, "fovea.el"), []string{"-L", folder, "-l", filepath.Join(folder, "test", "fovea-test.el")}
}

// TestEmacsClient: emacs/fovea.el has no fault that checkdoc or the compiler of Emacs
// knows, and its own tests pass against daemons of this build.
func TestEmacsClient(t *testing.T) {
	t.Parallel()
	emacs := foveatest.Part(t, "emacs")
	client, load := emacsFiles(t)
	compiled := filepath.Join(t.TempDir(), "fovea.elc")
	for _, tc := range []struct {
		name, prints string
		args         []string
	}{
		{"checkdoc", "", []string{"--eval", `(checkdoc-file "` + client + `")`}},
		{"compile", "", []string{
			"--eval", `(setq byte-compile-error-on-warn t byte-compile-dest-file-function (lambda (_) "` + compiled + `"))`,
			"-f", "batch-byte-compile", client,
		}},
		{"ert", " 0 unexpected", append([]string{"-l", compiled}, append(load, "-f", "ert-run-tests-batch-and-exit")...)},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if said := runEmacs(t, emacs, tc.args...); !strings.Contains(said, tc.prints) || tc.prints == "" && said != "" {
				t.Error(said)
			}
		})
	}
}

// TestEmacsPackages: emacs/fovea.el works with the packages consult and embark themselves.
func TestEmacsPackages(t *testing.T) {
	t.Parallel()
	emacs := foveatest.Part(t, "emacs")
	_, load := emacsFiles(t)
	var packages []string
	for _, name := range []string{"compat", "consult", "embark", "vertico"} {
		packages = append(packages, "-L", foveatest.Part(t, "elpa-"+name))
	}
	said := runEmacs(t, emacs, append(append(packages, load...), "--eval", "(ert-run-tests-batch-and-exit '(tag packages))")...)
	if !strings.Contains(said, " 0 unexpected") || strings.Contains(said, "skipped") {
		t.Error(said)
	}
}

// runEmacs runs an Emacs that starts daemons of this build, and returns all that it says.
func runEmacs(t testing.TB, emacs string, args ...string) string {
	t.Helper()
	c := exec.CommandContext(t.Context(), emacs, append([]string{"-Q", "--batch"}, args...)...)
	c.Env = append(os.Environ(), "HOME="+t.TempDir(), asCommand+"=1", "FOVEA_BINARY="+os.Args[0])
	said, err := c.CombinedOutput()
	if err != nil {
		t.Errorf("emacs %q: %v", args, err)
	}
	return string(said)
}
