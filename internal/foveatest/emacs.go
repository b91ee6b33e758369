// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package foveatest

import (
	"context"
	_ "embed"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// emacsTimeout limits one run of Emacs. A command that does not end counts as failed.
const emacsTimeout = 8 * time.Minute

//go:embed emacs.el
var emacsScript string

// OrgEnv names the folder of an Org version to use instead of the one in Emacs.
const OrgEnv = "FOVEA_ORG"

// ExerciseInEmacs opens Org files in one Emacs process that accepts every file variable and asks no
// questions. On each file it runs the commands of emacs.el, which execute everything that a file can:
// links, agendas, reports, exports and code. It returns the errors of failed commands by the base
// name of the file, a space and the command. The exports go to the folder dir, with names such as
// notes.org.latex; "" writes none. It skips the test if Emacs is not installed.
func ExerciseInEmacs(tb testing.TB, dir string, paths ...string) map[string]string {
	tb.Helper()
	emacs := Part(tb, "emacs")
	home := tb.TempDir()
	script := filepath.Join(home, "look.el")
	if err := os.WriteFile(script, []byte(emacsScript), 0o600); err != nil {
		tb.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(home, ".emacs.d"), 0o700); err != nil {
		tb.Fatal(err)
	}
	ctx, stop := context.WithTimeout(tb.Context(), emacsTimeout)
	defer stop()
	args := []string{"-Q", "--batch"}
	if org := os.Getenv(OrgEnv); org != "" {
		args = append(args, "-L", org)
	}
	cmd := exec.CommandContext(ctx, emacs, append(append(args, "-l", script), paths...)...)
	cmd.Env = append(os.Environ(), "HOME="+home)
	if dir != "" {
		cmd.Env = append(cmd.Env, "EXPORTS="+dir)
	}
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		tb.Fatalf("emacs: %v\n%s\n%s", err, out, tail(stderr.String()))
	}
	failed, visited := map[string]string{}, 0
	for line := range strings.Lines(string(out)) {
		words := strings.SplitN(strings.TrimSpace(line), "\t", 4)
		if len(words) != 4 || words[0] != "RESULT" {
			continue
		}
		if visited++; words[3] != "ok" {
			failed[words[1]+" "+words[2]] = words[3]
		}
	}
	if visited < len(paths) {
		tb.Fatalf("emacs did not visit every file\n%s", tail(stderr.String()))
	}
	return failed
}

// tail returns the end of the output of a program.
func tail(text string) string { return text[max(0, len(text)-4000):] }
