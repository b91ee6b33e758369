// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/fovea-memory/fovea/internal/vfs"
)

// Ring keeps the newest lines of the log, in memory and in a file that the next daemon continues.
// The zero value has no file: a daemon's log begins before it holds the lock. It is safe for
// concurrent use.
type Ring struct {
	name string

	mu      sync.Mutex
	file    *os.File // nil if it cannot be written
	lines   []string
	written int // lines in the file
}

// kept is the number of lines that a Ring keeps; its file has at most twice as many.
const kept = 1000

// Open opens or creates the file of the log, and adds the lines written before. If this user may not
// write it, the lines stay in memory only.
func (r *Ring) Open(name string) error {
	text, err := vfs.ReadPlain(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !vfs.Unwritable(err) {
		return fmt.Errorf("log: %w", err)
	}
	file, err := vfs.OpenPlain(name, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil && !vfs.Unwritable(err) {
		return fmt.Errorf("log: %w", err)
	}
	r.mu.Lock()
	early, lines := r.lines, linesOf(text)
	r.name, r.file, r.written = name, file, len(lines)
	r.lines = newest(lines)
	r.mu.Unlock()
	for _, line := range early {
		_, _ = r.Write([]byte(line + "\n")) // it never fails
	}
	return nil
}

// ReadRing returns the lines in the file of a log, oldest first; none if it cannot be read.
func ReadRing(name string) []string {
	text, _ := vfs.ReadPlain(name)
	return linesOf(text)
}

// newest returns the lines to keep.
func newest(lines []string) []string { return lines[max(0, len(lines)-kept):] }

func linesOf(text []byte) (lines []string) {
	for line := range strings.Lines(string(text)) {
		lines = append(lines, strings.TrimSuffix(line, "\n"))
	}
	return lines
}

// Write appends whole lines, as log/slog's handlers write them. It returns no error if the file
// cannot be written, as on a full disk: the lines stay in memory.
func (r *Ring) Write(text []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	lines := linesOf(text)
	r.lines, r.written = newest(append(r.lines, lines...)), r.written+len(lines)
	switch {
	case r.file == nil:
	case r.written <= 2*kept:
		_, _ = r.file.Write(text)
	case r.file.Truncate(0) == nil:
		_, _ = r.file.WriteString(strings.Join(r.lines, "\n") + "\n")
		r.written = len(r.lines)
	}
	return len(text), nil
}

// Lines returns the kept lines, oldest first; none for a nil Ring. The caller owns the slice.
func (r *Ring) Lines() []string {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.lines)
}

// Reload reads the lines from the file after a purge has overwritten text in it.
func (r *Ring) Reload() {
	if r == nil || r.file == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lines = newest(ReadRing(r.name))
}

// Close closes the file.
func (r *Ring) Close() error {
	if r.file == nil {
		return nil
	}
	return r.file.Close()
}
