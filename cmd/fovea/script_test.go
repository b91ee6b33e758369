// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/fovea-memory/fovea/internal/foveatest"
)

// asCommand makes the test binary be the command, for tests that kill it.
const asCommand = "FOVEA_TEST_COMMAND"

// raceOptions sets the options of the race detector.
const raceOptions = "GORACE"

// TestMain is the command where a test asks for it. A process under the race
// detector sleeps for a second before it ends; hundreds of them in turn would
// take ten minutes, so theirs is made short.
func TestMain(m *testing.M) {
	switch os.Getenv(asCommand) {
	case "":
	case withEcho:
		defineEcho()
		fallthrough
	default:
		main()
	}
	if os.Getenv(raceOptions) == "" {
		os.Setenv(raceOptions, "atexit_sleep_ms=10")
	}
	os.Setenv("TERM", "dumb") // neither colour nor a pager, wherever the tests run
	testscript.Main(m, map[string]func(){"fovea": main})
}

// TestScripts runs the command as a person would, one script for each thing a
// person does. The example memex is copied in as $WORK/memex on request.
func TestScripts(t *testing.T) {
	scripts, err := filepath.Glob("testdata/script/*.txtar")
	if err != nil || len(scripts) == 0 {
		t.Fatal(scripts, err)
	}
	var kept []string
	for i, name := range scripts {
		if !foveatest.Thin(i, 4) {
			kept = append(kept, name)
		}
	}
	testscript.Run(t, testscript.Params{
		Files: kept,
		Setup: func(e *testscript.Env) error {
			e.Setenv("XDG_STATE_HOME", filepath.Join(e.WorkDir, "state"))
			e.Setenv("XDG_CONFIG_HOME", filepath.Join(e.WorkDir, "config"))
			e.Setenv("HOME", filepath.Join(e.WorkDir, "home"))
			example, err := filepath.Abs("../../examples/memex")
			if err != nil {
				return err
			}
			e.Setenv("EXAMPLE", example)
			e.Setenv(raceOptions, os.Getenv(raceOptions))
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"copytree": copyTree,
			"mkbig":    makeBig,
			"appendto": appendTo,
			"poke":     poke,
			"spoil":    spoil,
			"status":   exitStatus,
			"control":  controlFile,
			"trust":    trustKey,
			"repeat":   repeat,

			"fingerprint": setFingerprint,
		},
	})
}

// copyTree copies a folder: copytree FROM TO.
func copyTree(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: copytree FROM TO")
	}
	ts.Check(os.CopyFS(ts.MkAbs(args[1]), os.DirFS(ts.MkAbs(args[0]))))
}

// makeBig writes a file of so many bytes of one letter, behind a headline's
// star when the third argument is "title".
func makeBig(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: mkbig FILE BYTES [title]")
	}
	n := 0
	for _, c := range args[1] {
		n = n*10 + int(c-'0')
	}
	b := make([]byte, n)
	for i := range b {
		b[i] = 'x'
	}
	if len(args) == 3 {
		copy(b, "* ")
	}
	b[n-1] = '\n'
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), b, 0o644))
}

// exitStatus runs a command for its exit code: status CODE COMMAND...
func exitStatus(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status CODE COMMAND...")
	}
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		got = -1
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			got = exit.ExitCode()
		}
	}
	if want := args[0]; strconv.Itoa(got) != want {
		ts.Fatalf("exit code %d, want %s", got, want)
	}
}

// controlFile writes a note whose title would change the colours of a terminal
// and the name of its window: control FILE.
func controlFile(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: control FILE")
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte("* \x1b[31m\x1b]0;x\x07 twice\n"), 0o644))
}

// appendTo adds text to the end of a file: appendto FILE TEXT.
func appendTo(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: appendto FILE TEXT")
	}
	b := ts.ReadFile(args[0])
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(b+args[1]), 0o600))
}

// trustKey writes a configuration file that trusts a public key: trust KEY FILE.
func trustKey(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: trust KEY FILE")
	}
	line := strings.TrimSpace(ts.ReadFile(args[0]))
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), fmt.Appendf(nil, "trusted_keys = [%q]\n", line), 0o600))
}

// setFingerprint sets FINGERPRINT to the one that adopt-key has printed: fingerprint FILE.
func setFingerprint(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: fingerprint FILE")
	}
	_, rest, _ := strings.Cut(ts.ReadFile(args[0]), "fingerprint  ")
	print, _, ok := strings.Cut(rest, "\n")
	if !ok {
		ts.Fatalf("%s has no fingerprint", args[0])
	}
	ts.Setenv("FINGERPRINT", print)
}

// spoil changes the byte of a file where a text begins: spoil FILE TEXT.
func spoil(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: spoil FILE TEXT")
	}
	b := []byte(ts.ReadFile(args[0]))
	i := bytes.Index(b, []byte(args[1]))
	if i < 0 {
		ts.Fatalf("%s does not hold %q", args[0], args[1])
	}
	b[i] ^= 1
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), b, 0o600))
}

// poke changes one byte of a file: poke FILE OFFSET VALUE, in decimal.
func poke(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: poke FILE OFFSET VALUE")
	}
	b := []byte(ts.ReadFile(args[0]))
	at, err := strconv.Atoi(args[1])
	ts.Check(err)
	v, err := strconv.Atoi(args[2])
	ts.Check(err)
	b[at] = byte(v)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), b, 0o600))
}

// repeat runs a command N times, with % for the number of the run: repeat N COMMAND...
func repeat(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: repeat N COMMAND...")
	}
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	for i := range n {
		words := make([]string, len(args)-1)
		for k, w := range args[1:] {
			words[k] = strings.ReplaceAll(w, "%", strconv.Itoa(i+1))
		}
		ts.Check(ts.Exec(words[0], words[1:]...))
	}
}
