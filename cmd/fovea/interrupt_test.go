// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

//go:build unix

package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestReadingEnds: what a command reads may never end, on standard input or in a named
// pipe; the command ends when it is told to.
func TestReadingEnds(t *testing.T) {
	in, keep, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer keep.Close()
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	defer func(was *os.File) { os.Stdin = was }(os.Stdin)
	os.Stdin = in
	for _, words := range [][]string{
		{"remember", "A", "--body", "-"}, {"remember", "A", "--body", "@" + pipe}, {"edit", "A", "--append", "-"}, {"purge", "--text", "-"},
		{"import", "server-memory", "-"}, {"import", "server-memory", pipe}, {"verify", "--anchor", "-"}, {"ingest", "--ast", pipe},
	} {
		ctx, end := context.WithCancel(t.Context())
		end()
		s := newSession()
		root := command(s)
		root.SetArgs(append(words, "--memex", t.TempDir(), "--no-daemon"))
		if err := root.ExecuteContext(ctx); err == nil || !strings.Contains(err.Error(), context.Canceled.Error()) {
			t.Errorf("fovea %q: %v", words, err)
		}
	}
}
