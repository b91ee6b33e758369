// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/fovea-memory/fovea/internal/vfs"
)

// Ring keeps the newest lines of the log, in memory and in a file that the next daemon
// continues. It is safe for concurrent use.
type Ring struct {
	name string

	mu      sync.Mutex
	file    *os.File // nil if it cannot be written
	lines   []string
	written int // lines in the file
}

// kept is the number of lines that a Ring keeps; its file has at most twice as many.
const kept = 1000

// OpenRing opens or creates the log in a file. If this user may not write it, the lines are
// kept in memory only.
func OpenRing(name string) (*Ring, error) {
	r := &Ring{name: name}
	text, err := vfs.ReadPlain(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !vfs.Unwritable(err) {
		return nil, fmt.Errorf("log: %w", err)
	}
	for line := range strings.Lines(string(text)) {
		r.lines = append(r.lines, strings.TrimSuffix(line, "\n"))
	}
	r.written = len(r.lines)
	r.lines = slices.Clone(r.lines[max(0, len(r.lines)-kept):])
	r.file, err = vfs.OpenPlain(name, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil && !vfs.Unwritable(err) {
		return nil, fmt.Errorf("log: %w", err)
	}
	return r, nil
}

// Write appends whole lines, as log/slog's handlers write them. A file that cannot be
// written, as on a full disk, is no error: the lines stay in memory.
func (r *Ring) Write(text []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for line := range bytes.Lines(text) {
		r.lines = append(r.lines, string(bytes.TrimSuffix(line, []byte("\n"))))
		r.written++
	}
	r.lines = r.lines[max(0, len(r.lines)-kept):]
	if r.file == nil {
		return len(text), nil
	}
	if r.written <= 2*kept {
		_, _ = r.file.Write(text)
		return len(text), nil
	}
	if err := r.file.Truncate(0); err == nil {
		_, _ = r.file.WriteString(strings.Join(r.lines, "\n") + "\n")
		r.written = len(r.lines)
	}
	return len(text), nil
}

// Newest returns up to limit lines, oldest first. The caller owns the slice.
func (r *Ring) Newest(limit int) []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.lines[max(0, len(r.lines)-max(limit, 0)):])
}

// Close closes the file.
func (r *Ring) Close() error {
	if r.file == nil {
		return nil
	}
	return r.file.Close()
}
