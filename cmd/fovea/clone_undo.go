// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"

	"github.com/fovea-memory/fovea/internal/vfs"
)

// leavings are the folders that a clone makes, outermost first, so that one that fails can take
// them away again.
type leavings []string

// newFolder makes a folder if it is missing. It reports whether the folder is empty.
func (l *leavings) newFolder(dir string) (empty bool, err error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		l.missing(dir)
		return true, os.MkdirAll(dir, 0o700)
	}
	return len(entries) == 0, err
}

// missing notes a folder that is going to be made, with those above it that are missing.
func (l *leavings) missing(dir string) {
	var all []string
	for at := filepath.Clean(dir); ; at = filepath.Dir(at) {
		if _, err := os.Lstat(at); !errors.Is(err, os.ErrNotExist) || at == filepath.Dir(at) {
			break
		}
		all = append(all, at)
	}
	slices.Reverse(all)
	*l = append(*l, all...)
}

// remove removes the folders that are empty.
func (l leavings) remove() {
	for _, dir := range slices.Backward(l) {
		_ = os.Remove(dir) // one with content stays
	}
}

// undo removes what a failed clone has made: the state folder, if the clone has filled it, and
// empty folders. If files are back in the folder of the notes, everything stays; undo reports
// whether it does.
func (how *cloning) undo(s *session, dir string) (stays bool) {
	if how.filled {
		entries, err := os.ReadDir(dir)
		if stays = err != nil || len(entries) > 0; stays {
			return true
		}
		_ = s.close()
		s.memory, s.daemon = nil, nil
		if above, err := vfs.Dir(filepath.Dir(s.config.StateDir)); err == nil {
			_ = vfs.RemoveAll(above, filepath.Base(s.config.StateDir)) // what is left is made again by the next clone
			_ = above.Close()
		}
	}
	how.made.remove()
	return false
}
