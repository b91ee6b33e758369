// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fovea-memory/fovea"
)

// running returns the command lines of the processes whose environment names a folder, in which
// all words occur. A process that has ended and is not waited for is none.
func running(folder string, words ...string) (all []string) {
	own := fmt.Sprintf("/proc/%d/environ", os.Getpid())
	names, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, name := range names {
		environ, _ := os.ReadFile(name) // it may have ended
		if name == own || !bytes.Contains(environ, []byte(folder)) {
			continue
		}
		text, _ := os.ReadFile(filepath.Join(filepath.Dir(name), "cmdline"))
		line := strings.ReplaceAll(string(text), "\x00", " ")
		for _, word := range words {
			if !strings.Contains(line, word) {
				line = ""
			}
		}
		if line != "" {
			all = append(all, line)
		}
	}
	return all
}

// TestDaemonOfNobody: a daemon that waits for the store gives up when the process that started it
// has exited. Otherwise it would serve once the store is free, which nobody expects by then.
func TestDaemonOfNobody(t *testing.T) {
	s := newServed(t)
	m, err := fovea.Open(t.Context(), s.memex, &fovea.Options{StateDir: s.state})
	if err != nil {
		t.Fatal(err)
	}
	starter := s.command("serve", "--detach")
	if err := starter.Start(); err != nil {
		t.Fatal(err)
	}
	for len(running(s.state, "--starter")) == 0 {
		pause(t.Context(), time.Millisecond)
	}
	_ = starter.Process.Kill()
	_ = starter.Wait() // killed
	for len(running(s.state)) > 0 {
		pause(t.Context(), time.Millisecond)
	}
	outputs, _ := filepath.Glob(filepath.Join(s.runtime, "fovea", "*.out"))
	if len(outputs) != 1 {
		t.Fatalf("output in %q", outputs)
	}
	if said, err := os.ReadFile(outputs[0]); err != nil || !strings.Contains(string(said), errUnwanted.Error()) {
		t.Errorf("it says %q, %v", said, err)
	}
	if err := m.Close(); err != nil {
		t.Error(err)
	}
}
