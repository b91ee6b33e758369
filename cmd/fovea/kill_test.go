// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/fovea-memory/fovea/internal/foveatest"
)

// process prepares a run of the command in a process of its own.
func process(t testing.TB, state string, args ...string) *exec.Cmd {
	t.Helper()
	c := exec.CommandContext(t.Context(), os.Args[0], args...)
	c.Env = append(os.Environ(), asCommand+"=1", "MEMORY_SNAPSHOT_PATH="+state, "XDG_CONFIG_HOME="+filepath.Join(filepath.Dir(state), "config"))
	return c
}

// TestKilledIngestKeepsWhatItPrinted kills an ingest while it prints commits
// and demands that each printed one is in the log afterwards, that the memory
// verifies, and that going on ends at the root of an undisturbed run.
func TestKilledIngestKeepsWhatItPrinted(t *testing.T) {
	t.Parallel()
	memex := filepath.Join(t.TempDir(), "memex")
	const files = 2000
	if err := foveatest.GenFiles(memex, files, 3); err != nil {
		t.Fatal(err)
	}
	want := status(t, memex, filepath.Join(t.TempDir(), "undisturbed")).Root
	rng := rand.New(rand.NewPCG(1, 2))
	for round := range foveatest.Size(6, 2) {
		state := filepath.Join(t.TempDir(), fmt.Sprintf("state%d", round))
		printed := killed(t, memex, state, rng.IntN(7))
		out, err := process(t, state, "log", "--memex", memex, "--json").Output()
		if err != nil {
			t.Fatalf("round %d: log after the kill: %v", round, err)
		}
		var log []struct {
			Seq  uint64
			Root string
		}
		if err := json.Unmarshal(out, &log); err != nil {
			t.Fatal(err)
		}
		roots := map[uint64]string{}
		for _, c := range log {
			roots[c.Seq] = c.Root
		}
		for _, p := range printed {
			if roots[p.Seq] != p.Root {
				t.Errorf("round %d: commit %d was printed with root %s; the log has %q", round, p.Seq, p.Root, roots[p.Seq])
			}
		}
		if got := status(t, memex, state).Root; got != want {
			t.Errorf("round %d: going on ends at root %s, want %s", round, got, want)
		}
		if out, err := process(t, state, "verify", "--memex", memex).CombinedOutput(); err != nil {
			t.Errorf("round %d: verify: %v\n%s", round, err, out)
		}
	}
}

// committed is what ingest --json prints for a durable commit.
type committed struct {
	Seq       uint64 `json:"seq"`
	Root      string `json:"root"`
	Documents int    `json:"documents"`
}

// killed runs an ingest and kills it after so many commits were printed.
func killed(t *testing.T, memex, state string, after int) []committed {
	t.Helper()
	c := process(t, state, "ingest", "--memex", memex, "--json")
	pipe, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	var printed []committed
	lines := bufio.NewScanner(pipe)
	lines.Buffer(nil, 1<<20)
	for len(printed) < after && lines.Scan() {
		printed = append(printed, line(t, lines.Bytes())...)
	}
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for lines.Scan() { // what it printed before it died
		printed = append(printed, line(t, lines.Bytes())...)
	}
	_ = c.Wait() // it was killed
	return printed
}

// line reads a printed commit; the status at the end, and a line that the kill
// cut short, are none.
func line(t *testing.T, b []byte) []committed {
	t.Helper()
	var c committed
	if !bytes.HasPrefix(b, []byte(`{"seq"`)) || json.Unmarshal(b, &c) != nil {
		return nil
	}
	return []committed{c}
}

// status reads the folder to the end and says how the memory is.
func status(t *testing.T, memex, state string) (s struct{ Root string }) {
	t.Helper()
	out, err := process(t, state, "status", "--memex", memex, "--json").Output()
	if err != nil {
		t.Fatalf("status: %v", err)
	}
	if err := json.Unmarshal(out, &s); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestTwoProcesses runs many commands on one memory at once: each waits its
// turn, and all succeed.
func TestTwoProcesses(t *testing.T) {
	memex, state := filepath.Join(t.TempDir(), "memex"), filepath.Join(t.TempDir(), "state")
	if err := foveatest.GenFiles(memex, 50, 5); err != nil {
		t.Fatal(err)
	}
	var runs []*exec.Cmd
	for i := range 6 {
		c := process(t, state, "snapshot", fmt.Sprintf("name-%d", i), "--memex", memex)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		runs = append(runs, c)
	}
	for i, c := range runs {
		if err := c.Wait(); err != nil {
			t.Errorf("process %d: %v", i, err)
		}
	}
	out, err := process(t, state, "snapshot", "list", "--memex", memex, "--json").Output()
	if err != nil {
		t.Fatal(err)
	}
	for i := range 6 {
		if !bytes.Contains(out, fmt.Appendf(nil, `"name-%d"`, i)) {
			t.Errorf("snapshot name-%d is lost:\n%s", i, out)
		}
	}
}
