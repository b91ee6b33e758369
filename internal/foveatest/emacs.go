// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package foveatest

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// LookInEmacs opens an Org file in Emacs, with every file variable allowed and nothing
// asked, and does with it what a person may: follows links that run something,
// tangles, builds the agenda, updates blocks and tables, exports. What the file can
// run has run then. It skips the test where there is no Emacs.
func LookInEmacs(tb testing.TB, path string) {
	tb.Helper()
	emacs := Part(tb, "emacs")
	home := tb.TempDir()
	script := filepath.Join(home, "look.el")
	if err := os.WriteFile(script, []byte(lookEl), 0o600); err != nil {
		tb.Fatal(err)
	}
	cmd := exec.Command(emacs, "-Q", "--batch", "-l", script, path)
	cmd.Env = append(os.Environ(), "HOME="+home)
	out, err := cmd.CombinedOutput()
	if err != nil {
		tb.Fatalf("emacs: %v\n%s", err, out)
	}
	tb.Logf("emacs said\n%s", out)
}

const lookEl = `
(setq enable-local-variables :all enable-local-eval t enable-dir-local-variables t
      org-confirm-babel-evaluate nil org-link-elisp-confirm-function nil org-link-shell-confirm-function nil
      org-export-use-babel t make-backup-files nil)
(require 'org) (require 'ol) (require 'ob) (require 'ob-shell) (require 'ob-emacs-lisp) (require 'ob-tangle) (require 'org-agenda) (require 'ox-ascii)
(find-file (car command-line-args-left))
(org-mode)
(hack-local-variables)
(org-element-map (org-element-parse-buffer) 'link
  (lambda (l) (when (member (org-element-property :type l) '("elisp" "shell" "eshell" "file+sys" "file+emacs"))
                (ignore-errors (org-link-open l)))))
(ignore-errors (org-babel-tangle))
(setq org-agenda-files (list buffer-file-name))
(ignore-errors (org-agenda-list nil "2026-01-01" 2))
(find-file (car command-line-args-left))
(ignore-errors (org-update-all-dblocks))
(ignore-errors (org-table-recalculate-buffer-tables))
(ignore-errors (org-export-as 'ascii))
(setq command-line-args-left nil)
`
