// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// coloured matches what colours a text.
var coloured = regexp.MustCompile("\x1b\\[(33|35|2|1;31|32|31)?m")

// TestColourAndPager: at a terminal that can show it an answer has colour, and a long one goes through the
// pager, as flags, environment and configuration say, in this order. A pipe and JSON have neither.
func TestColourAndPager(t *testing.T) {
	dir := t.TempDir()
	memex, file, bin := filepath.Join(dir, "notes"), filepath.Join(dir, "config", "fovea", "config.toml"), filepath.Join(dir, "bin")
	for _, folder := range []string{memex, filepath.Dir(file), bin} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(memex, "a.org"), "* Oak\nThe oak stands.\n* Elm\n")
	write(t, filepath.Join(bin, "less"), "#!/bin/sh\necho \"less $LESS\"; cat\n")
	if err := os.Chmod(filepath.Join(bin, "less"), 0o700); err != nil {
		t.Fatal(err)
	}
	env := append(os.Environ(), asCommand+"=1", "HOME="+dir, "XDG_STATE_HOME="+filepath.Join(dir, "state"), "XDG_CONFIG_HOME="+filepath.Join(dir, "config"),
		"XDG_RUNTIME_DIR="+filepath.Join(dir, "run"), "MEMORY_SNAPSHOT_PATH=", "COLUMNS=", "TERM=xterm", "PATH="+bin+":"+os.Getenv("PATH"), "PAGER=cat")
	const paged, off = "sed s/^/P:/", "FOVEA_PAGER="
	for _, tc := range []struct {
		name, words, config string
		env                 []string
		pipe                bool
		colour              bool
		want                string // that the text begins with, without colours
	}{
		{name: "log", words: "log", colour: true, want: "    1  "},
		{name: "search", words: "search oak", colour: true, want: "1.00  Oak"},
		{name: "no such note", words: "show nothing", colour: true, want: "fovea: find:"},
		{name: "NO_COLOR", words: "log", env: []string{"NO_COLOR=1"}, want: "    1  "},
		{name: "dumb", words: "log", env: []string{"TERM=dumb", "FOVEA_PAGER=" + paged}, want: "    1  "},
		{name: "never", words: "log --color never", want: "    1  "},
		{name: "always before NO_COLOR", words: "log --color always", env: []string{"NO_COLOR=1"}, colour: true, want: "    1  "},
		{name: "configured", words: "log", config: `color = "never"`, want: "    1  "},
		{name: "flag before configuration", words: "log --color auto", config: `color = "never"`, colour: true, want: "    1  "},
		{name: "wrong", words: "log --color red", colour: true, want: `fovea: --color: it is auto, always or never, not "red"`},
		{name: "wrong in the file", words: "log", config: `color = "red"`, colour: true, want: "fovea: " + file + ":1:"},
		{name: "JSON", words: "log --json --color always", env: []string{"FOVEA_PAGER=" + paged}, want: "["},
		{name: "pipe", words: "log", pipe: true, env: []string{"FOVEA_PAGER=" + paged}, want: "1\t"},
		{name: "pipe with colour", words: "log --color always", pipe: true, colour: true, want: "1\t"},
		{name: "JSON in a pipe", words: "log --json --color always", pipe: true, want: "["},
		{name: "FOVEA_PAGER", words: "log", config: `pager = "tac"`, env: []string{"FOVEA_PAGER=" + paged}, colour: true, want: "P:    1  "},
		{name: "a note on the answer", words: "query zebra", env: []string{"FOVEA_PAGER=" + paged}, want: "P:fovea: nothing matches"},
		{name: "short answers", words: "status --no-daemon", env: []string{"FOVEA_PAGER=" + paged}, want: "memex "},
		{name: "setting", words: "log", config: `pager = "` + paged + `"`, env: []string{"PAGER=tac"}, colour: true, want: "P:    1  "},
		{name: "no setting", words: "log", config: `pager = ""`, env: []string{"PAGER=" + paged}, colour: true, want: "    1  "},
		{name: "PAGER", words: "log", env: []string{"PAGER=LC_ALL=C " + paged}, colour: true, want: "P:    1  "},
		{name: "empty", words: "log", config: `pager = "` + paged + `"`, env: []string{off}, colour: true, want: "    1  "},
		{name: "empty PAGER", words: "log", env: []string{"PAGER="}, colour: true, want: "    1  "},
		{name: "no-pager", words: "log --no-pager", env: []string{"FOVEA_PAGER=" + paged}, colour: true, want: "    1  "},
		{name: "missing", words: "log", env: []string{"FOVEA_PAGER=no-such-pager -x"}, colour: true, want: "    1  "},
		{name: "left early", words: "log", env: []string{"FOVEA_PAGER=true"}, want: ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			write(t, file, tc.config+"\n")
			c := exec.CommandContext(t.Context(), os.Args[0], append(strings.Fields(tc.words), "--memex", memex)...)
			c.Env = append(env, tc.env...)
			var out string
			var err error
			if tc.pipe {
				var piped []byte
				piped, err = c.Output()
				out = string(piped)
			} else {
				out, err = atTerminal(t, c, 80)
			}
			if failed := strings.HasPrefix(tc.want, "fovea: find:") || strings.HasPrefix(tc.want, "fovea: --color"); failed != (err != nil) {
				t.Error(err)
			}
			if got := coloured.MatchString(out); got != tc.colour {
				t.Errorf("colour is %v: %q", got, out)
			}
			if bare := coloured.ReplaceAllString(out, ""); !strings.HasPrefix(bare, tc.want) || tc.want == "" && bare != "" {
				t.Errorf("%q, want %q", bare, tc.want)
			}
		})
	}
	t.Run("less", func(t *testing.T) {
		write(t, file, "")
		c := exec.CommandContext(t.Context(), os.Args[0], "log", "--memex", memex)
		c.Env = strings.Split(strings.ReplaceAll(strings.Join(env, "\x00"), "\x00PAGER=cat", ""), "\x00")
		if out, err := atTerminal(t, c, 80); err != nil || !strings.HasPrefix(out, "less FRX\n") {
			t.Errorf("%q, %v", out, err)
		}
	})
}
