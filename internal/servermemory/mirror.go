// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package servermemory

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/gofrs/flock"

	"github.com/fovea-memory/fovea/internal/vfs"
)

// mirror keeps a copy of the graph in the file of server-memory, for other readers of it and
// for a return to that server. The memory is authoritative: the file is imported once, while
// there is no graph, and otherwise overwritten. Processes that share it take turns: each locks
// it from before a change is committed until the file is written.
type mirror struct {
	path string
	lock *flock.Flock
	left os.FileInfo // after this process's last write
}

// write brings the file in step: it appends what was added, or replaces the file if another
// process has written it or anything else has changed.
func (m *mirror) write(g *model) error {
	now, err := os.Stat(m.path)
	if err != nil || m.left == nil || !os.SameFile(now, m.left) || now.Size() != m.left.Size() || !now.ModTime().Equal(m.left.ModTime()) {
		g.mirrored = 0
	}
	var text strings.Builder
	for _, h := range g.all[g.mirrored:] {
		text.WriteString(h.line())
	}
	if g.mirrored > 0 {
		err = appendTo(m.path, text.String())
	} else {
		err = vfs.WriteFile(m.path, []byte(text.String()), 0o600)
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
func appendTo(path, text string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}
