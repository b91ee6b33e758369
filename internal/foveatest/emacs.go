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

// mostLooking is how long Emacs may look at some files. A command that does not end is
// as bad as one that fails.
const mostLooking = 8 * time.Minute

//go:embed emacs.el
var lookEl string

// OrgEnv names the folder of another Org than that of Emacs, to look with.
const OrgEnv = "FOVEA_ORG"

// LookInEmacs opens Org files in one Emacs, with every variable of a file allowed and
// nothing asked, and does with each what a person may: shows it, follows links that run
// something, runs org-lint, builds the agenda of a day, of today and of a week, with logs,
// habits and clocks checked, goes over its entries and shows their text, builds the list of
// tasks and the clock report, shows columns, tangles, exports, updates blocks, tables and
// cookies, runs all code. What the files can run has run then. It returns the commands that
// ended with an error: the error by the base name of the file, a blank, and the command.
// It skips the test where there is no Emacs.
func LookInEmacs(tb testing.TB, paths ...string) map[string]string {
	tb.Helper()
	return ExportInEmacs(tb, "", paths...)
}

// ExportInEmacs is LookInEmacs, and keeps in the folder dir what Emacs exports: of each
// file one for each form, as notes.org.latex.
func ExportInEmacs(tb testing.TB, dir string, paths ...string) map[string]string {
	tb.Helper()
	emacs := Part(tb, "emacs")
	home := tb.TempDir()
	script := filepath.Join(home, "look.el")
	if err := os.WriteFile(script, []byte(lookEl), 0o600); err != nil {
		tb.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(home, ".emacs.d"), 0o700); err != nil {
		tb.Fatal(err)
	}
	ctx, stop := context.WithTimeout(tb.Context(), mostLooking)
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
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		tb.Fatalf("emacs: %v\n%s\n%s", err, out, tail(said.String()))
	}
	failed, looked := map[string]string{}, 0
	for line := range strings.Lines(string(out)) {
		words := strings.SplitN(strings.TrimSpace(line), "\t", 4)
		if len(words) != 4 || words[0] != "LOOK" {
			continue
		}
		if looked++; words[3] != "ok" {
			failed[words[1]+" "+words[2]] = words[3]
		}
	}
	if looked < len(paths) {
		tb.Fatalf("emacs looked at nothing\n%s", tail(said.String()))
	}
	return failed
}

// tail returns the end of what a program said.
func tail(text string) string { return text[max(0, len(text)-4000):] }
