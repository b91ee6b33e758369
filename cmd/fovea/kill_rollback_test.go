// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestKilledRollbackIsWholeOrNot kills a rollback when it has written so many of
// its files: the next command finds all of them old or all of them new, and the
// memory agrees and verifies.
func TestKilledRollbackIsWholeOrNot(t *testing.T) {
	t.Parallel()
	const files = 40
	name := func(i int) string { return fmt.Sprintf("n%02d.org", i) }
	folder := func(memex, text string) map[string]string {
		out := map[string]string{}
		for i := range files {
			out[name(i)] = fmt.Sprintf("* %s %d\n", text, i)
			if err := os.WriteFile(filepath.Join(memex, name(i)), []byte(out[name(i)]), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		return out
	}
	back := 0
	for _, after := range []int{0, 1, files / 2, files - 2, files - 1} {
		memex, state := t.TempDir(), filepath.Join(t.TempDir(), "state")
		first := folder(memex, "First")
		status(t, memex, state)
		second := folder(memex, "Second")
		status(t, memex, state)
		c := process(t, state, "rollback", "0", "--memex", memex)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			_ = c.Wait() // it is killed, or was quicker
		}()
		for running := true; running; {
			b, err := os.ReadFile(filepath.Join(memex, name(after)))
			if err == nil && string(b) == first[name(after)] {
				break
			}
			select {
			case <-ended:
				running = false
			default:
				runtime.Gosched()
			}
		}
		_ = c.Process.Kill()
		<-ended
		before := status(t, memex, state).Root
		got := map[string]string{}
		for i := range files {
			b, err := os.ReadFile(filepath.Join(memex, name(i)))
			if err != nil {
				t.Fatal(err)
			}
			got[name(i)] = string(b)
		}
		if cmp.Equal(got, second) {
			back++
		} else if diff := cmp.Diff(first, got); diff != "" {
			t.Errorf("killed after file %d: a mixture (-first +got):\n%s", after, diff)
		}
		if fresh := status(t, memex, filepath.Join(t.TempDir(), "fresh")).Root; fresh != before {
			t.Errorf("killed after file %d: root %s, of a fresh ingest %s", after, before, fresh)
		}
		if out, err := process(t, state, "verify", "--memex", memex).CombinedOutput(); err != nil {
			t.Errorf("killed after file %d: verify: %v\n%s", after, err, out)
		}
		if kind := lastKind(t, memex, state); cmp.Equal(got, second) != (kind == "ingest") {
			t.Errorf("killed after file %d: the newest commit is of kind %s", after, kind)
		}
	}
	t.Logf("%d of 5 were taken back", back)
}

// lastKind returns the kind of the newest commit.
func lastKind(t *testing.T, memex, state string) string {
	t.Helper()
	out, err := process(t, state, "log", "--memex", memex, "--json").Output()
	if err != nil {
		t.Fatal(err)
	}
	var log []struct{ Kind string }
	if err := json.Unmarshal(bytes.TrimSpace(out), &log); err != nil || len(log) == 0 {
		t.Fatalf("log: %v\n%s", err, out)
	}
	return log[0].Kind
}
