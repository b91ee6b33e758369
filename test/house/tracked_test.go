// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package house

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// maxTrackedBytes is the size up to which a file may be committed without being
// named in largeFiles. Every clone and every download of the module pays for a
// large file for ever, also after it was deleted.
const maxTrackedBytes = 300_000

// largeFiles names the tracked files that may be larger, each with its reason.
var largeFiles = map[string]string{
	"internal/httpapi/testdata/openapi.json": "the description of all operations, one word a line so that a change shows",
	"token/o200k.bin":                        "the vocabulary of the default counter; the module that has it has three more, 7.0 MB (decision 0003)",
}

// oversized returns the files below dir that are larger than maxTrackedBytes and
// not in allowed.
func oversized(dir string, names []string, allowed map[string]string) ([]string, error) {
	var found []string
	for _, name := range names {
		info, err := os.Lstat(filepath.Join(dir, name))
		if os.IsNotExist(err) {
			continue // deleted, and not committed yet
		}
		if err != nil {
			return nil, err
		}
		if _, ok := allowed[name]; !ok && info.Size() > maxTrackedBytes {
			found = append(found, fmt.Sprintf("%s has %d bytes", name, info.Size()))
		}
	}
	return found, nil
}

// trackedFiles returns the files that git tracks.
func trackedFiles(t *testing.T) []string {
	t.Helper()
	list, err := exec.CommandContext(t.Context(), "git", "ls-files", "-z").Output()
	if err != nil {
		t.Skipf("not a git checkout: %v", err)
	}
	names := strings.FieldsFunc(string(list), func(r rune) bool { return r == 0 })
	if !slices.Contains(names, "go.mod") {
		t.Fatalf("git ls-files lists no go.mod among %d files", len(names))
	}
	return names
}

func TestNoLargeFilesAreTracked(t *testing.T) {
	names := trackedFiles(t)
	large, err := oversized(".", names, largeFiles)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range large {
		t.Errorf("%s, the limit is %d: leave it out, or name it in largeFiles with the reason", file, maxTrackedBytes)
	}
	for name := range largeFiles {
		if !slices.Contains(names, name) {
			t.Errorf("largeFiles names %s, which is not tracked", name)
		}
	}
}

func TestLargeFilesCatch(t *testing.T) {
	dir := t.TempDir()
	for name, size := range map[string]int{"binary": maxTrackedBytes + 1, "table": maxTrackedBytes + 1, "page": maxTrackedBytes} {
		if err := os.WriteFile(filepath.Join(dir, name), bytes.Repeat([]byte{0}, size), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := oversized(dir, []string{"binary", "deleted", "page", "table"}, map[string]string{"table": "data"})
	if err != nil || len(got) != 1 || !strings.HasPrefix(got[0], "binary ") {
		t.Errorf("oversized = %q, %v, want binary alone", got, err)
	}
}
