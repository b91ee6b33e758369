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
// there is no graph, and otherwise overwritten. Several processes may share a Mirror's file.
// A nil Mirror does nothing.
type Mirror struct {
	path string
	lock *flock.Flock
	left os.FileInfo // after this process's last write; nil if another may have written
}

// NewMirror returns the mirror in the file at path, the value of MEMORY_FILE_PATH.
func NewMirror(path string) *Mirror {
	return &Mirror{path: path, lock: flock.New(filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".lock"))}
}

// take parses a content of the file. It copies the content to NAME.before-fovea-N if that has
// malformed lines, or if a graph exists and lacks any of it: the file is overwritten next.
func (m *Mirror) take(text []byte, have *model) (Graph, error) {
	g, bad, err := ReadLines(bytes.NewReader(text))
	if err == nil && (len(bad) > 0 || len(have.nodes) > 0 && !have.holds(g)) {
		err = m.keep(text)
	}
	return g, err
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

// update brings the file in step: it appends what was added or, if others changed or another
// process has written the file, replaces the file. whole returns the graph of that moment. It
// is called under the lock, so that a later commit is also written later.
func (m *Mirror) update(added Graph, others bool, whole func() (Graph, error)) (err error) {
	if m == nil {
		return nil
	}
	defer func() {
		if err != nil {
			m.left = nil
			err = fmt.Errorf("the memory has it, but its copy in %s could not be written: %w", m.path, err)
		}
	}()
	if err := m.lock.Lock(); err != nil {
		return err
	}
	defer m.lock.Unlock()
	if !others && m.untouched() {
		err = m.append(added)
	} else {
		err = m.replace(whole)
	}
	if err == nil {
		m.left, err = os.Stat(m.path)
	}
	return err
}

// distrust makes the next update replace the file, after a change of which a part may be in
// the memory.
func (m *Mirror) distrust() {
	if m != nil {
		m.left = nil
	}
}

// untouched reports whether the file is as this process left it.
func (m *Mirror) untouched() bool {
	now, err := os.Stat(m.path)
	return err == nil && m.left != nil && os.SameFile(now, m.left) && now.Size() == m.left.Size() && now.ModTime().Equal(m.left.ModTime())
}

// append appends a graph to the file in one write.
func (m *Mirror) append(g Graph) error {
	f, err := os.OpenFile(m.path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	_, err = f.Write(asLines(g))
	return errors.Join(err, f.Close())
}

// replace writes a new file and renames it over the old one.
func (m *Mirror) replace(whole func() (Graph, error)) error {
	g, err := whole()
	if err != nil {
		return err
	}
	beside := filepath.Join(filepath.Dir(m.path), "."+filepath.Base(m.path)+".new")
	if err := os.WriteFile(beside, asLines(g), 0o600); err != nil {
		return err
	}
	return os.Rename(beside, m.path)
}
