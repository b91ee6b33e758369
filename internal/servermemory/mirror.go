// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package servermemory

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

// Mirror keeps a copy of the graph in the file of server-memory, for other readers of it and
// for a return to that server. The memory is authoritative: the file is imported once, while
// there is no graph, and otherwise overwritten. Processes that share it take turns: each locks
// it from before a change is committed until the file is written.
type Mirror struct {
	path string
	lock *flock.Flock
	left os.FileInfo // after this process's last write
}

// NewMirror returns the mirror in the file at path, the value of MEMORY_FILE_PATH.
func NewMirror(path string) *Mirror {
	return &Mirror{path: path, lock: flock.New(beside(path, ".lock"))}
}

// beside returns the path of a hidden file beside another.
func beside(path, ending string) string {
	return filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+ending)
}

// keep copies a content of the file under a free name, unless a copy has it already.
func (m *Mirror) keep(text []byte) error {
	for i := 1; ; i++ {
		name := fmt.Sprintf("%s.before-fovea-%d", m.path, i)
		kept, err := os.ReadFile(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return os.WriteFile(name, text, 0o600)
		case err != nil || bytes.Equal(kept, text):
			return err
		}
	}
}

// write brings the file in step: it appends what was added, or replaces the file if another
// process has written it or anything else has changed.
func (m *Mirror) write(g *model) error {
	now, err := os.Stat(m.path)
	if err != nil || m.left == nil || !os.SameFile(now, m.left) || now.Size() != m.left.Size() || !now.ModTime().Equal(m.left.ModTime()) {
		g.mirrored = 0
	}
	var text bytes.Buffer
	for _, h := range g.all[g.mirrored:] {
		text.Write(h.asLine())
	}
	if g.mirrored > 0 {
		err = appendTo(m.path, text.Bytes())
	} else if err = os.WriteFile(beside(m.path, ".new"), text.Bytes(), 0o600); err == nil {
		err = os.Rename(beside(m.path, ".new"), m.path)
	}
	if err == nil {
		m.left, err = os.Stat(m.path)
	}
	if g.mirrored = len(g.all); err != nil {
		g.mirrored = 0
		err = fmt.Errorf("the memory has it, but its copy in %s could not be written: %w", m.path, err)
	}
	return err
}

// appendTo appends to a file in one write.
func appendTo(path string, text []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}
