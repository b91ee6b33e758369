// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package servermemory

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

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

// read returns the content of the file, nil if there is none.
func (m *Mirror) read() ([]byte, error) {
	text, err := os.ReadFile(m.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return text, err
}

// take parses the content of the file. It copies the file to NAME.before-fovea-N if the file
// has malformed lines, or if a graph exists and lacks any of its content: the file is
// overwritten next. The caller reads the graph after the file, because another process
// commits before it writes the file.
func (m *Mirror) take(text []byte, have *model) (Graph, error) {
	if text == nil {
		return Graph{}, nil
	}
	g, bad, err := ReadLines(bytes.NewReader(text))
	if err != nil {
		return g, err
	}
	first := len(have.entities)+len(have.relations) == 0
	if len(bad) == 0 && (first || have.holds(g)) {
		return g, nil
	}
	return g, m.keep(text)
}

// keep copies a content of the file under a free name, unless a copy has it already.
func (m *Mirror) keep(text []byte) error {
	for i := 1; ; i++ {
		name := fmt.Sprintf("%s.before-fovea-%d", m.path, i)
		kept, err := os.ReadFile(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return os.WriteFile(name, text, 0o600)
		case err != nil:
			return err
		case bytes.Equal(kept, text):
			return nil
		}
	}
}

// holds reports whether m has every entity, observation and relation of g.
func (m *model) holds(g Graph) bool {
	for _, e := range g.Entities {
		have := m.entities[e.Name]
		if have == nil {
			return false
		}
		known := map[string]bool{}
		for _, o := range have.Observations {
			known[o] = true
		}
		if slices.ContainsFunc(e.Observations, func(o string) bool { return !known[o] }) {
			return false
		}
	}
	for _, r := range g.Relations {
		if m.relations[r] == nil {
			return false
		}
	}
	return true
}

// follow updates the file after a batch. fresh returns the current graph: another process
// may have committed, and written the file, since the batch began.
func (m *Mirror) follow(b *batch, fresh func() (*model, error)) error {
	if m == nil {
		return nil
	}
	if err := m.lock.Lock(); err != nil {
		return m.fail(err)
	}
	defer m.lock.Unlock()
	if !b.onlyAdds() || !m.untouched() {
		return m.replace(fresh)
	}
	var g Graph
	for _, h := range b.created {
		if h.isRelation {
			g.Relations = append(g.Relations, h.Relation)
		} else {
			g.Entities = append(g.Entities, h.Entity)
		}
	}
	return m.append(g)
}

// untouched reports whether the file is as this process left it.
func (m *Mirror) untouched() bool {
	now, err := os.Stat(m.path)
	return err == nil && m.left != nil && os.SameFile(now, m.left) && now.Size() == m.left.Size() && now.ModTime().Equal(m.left.ModTime())
}

// rewrite writes the whole graph to the file.
func (m *Mirror) rewrite(fresh func() (*model, error)) error {
	if err := m.lock.Lock(); err != nil {
		return m.fail(err)
	}
	defer m.lock.Unlock()
	return m.replace(fresh)
}

// replace writes a new file and renames it over the old one. The caller holds the lock while
// fresh reads the graph, so that a later commit is also written later.
func (m *Mirror) replace(fresh func() (*model, error)) error {
	have, err := fresh()
	if err != nil {
		return m.fail(err)
	}
	beside := filepath.Join(filepath.Dir(m.path), "."+filepath.Base(m.path)+".new")
	if err := os.WriteFile(beside, asLines(have.graph(nil)), 0o600); err != nil {
		return m.fail(err)
	}
	if err := os.Rename(beside, m.path); err != nil {
		return m.fail(err)
	}
	return m.note()
}

// append appends a graph to the file in one write.
func (m *Mirror) append(g Graph) error {
	f, err := os.OpenFile(m.path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return m.fail(err)
	}
	if _, err = f.Write(asLines(g)); err == nil {
		err = f.Close()
	} else {
		f.Close()
	}
	if err != nil {
		m.left = nil
		return m.fail(err)
	}
	return m.note()
}

// note records the file's state after a write.
func (m *Mirror) note() (err error) {
	if m.left, err = os.Stat(m.path); err != nil {
		return m.fail(err)
	}
	return nil
}

func (m *Mirror) fail(err error) error {
	return fmt.Errorf("the memory has it, but its copy in %s could not be written: %w", m.path, err)
}
