// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"

	"github.com/fovea-memory/fovea/api/ops"
	"github.com/fovea-memory/fovea/internal/cli"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// cloneFile is in the state folder while it has the history and the clone has not ended: after a kill, the same command continues.
const cloneFile = "clone.json"

// underWay is the content of cloneFile.
type underWay struct {
	Source string `json:"source"`
	ops.Cloned
}

// absolute returns the source in a form that does not depend on the working directory.
func (how *cloning) absolute() string {
	if abs, err := cli.RemoteURL(how.source); err == nil {
		return abs
	}
	return how.source
}

// resumes reports whether a clone of this source was interrupted after the history had arrived.
func (how *cloning) resumes(state string) bool {
	in, err := vfs.Dir(state)
	if err != nil {
		return false
	}
	defer in.Close()
	var was underWay
	if info, err := in.Lstat(cloneFile); err != nil || info.Size() > 64<<10 || vfs.ReadJSON(vfs.Plain(in), cloneFile, &was) != nil ||
		was.Source != how.absolute() {
		return false
	}
	how.underWay = was
	return true
}

// cloneEnded removes cloneFile.
func cloneEnded(state string) error {
	in, err := vfs.Dir(state)
	if err != nil {
		return err
	}
	defer in.Close()
	if err := vfs.RemoveIfThere(in, cloneFile); err != nil {
		return err
	}
	return in.SyncDir(".")
}

// leavings are the folders that a clone makes, outermost first, so that a failed clone can remove them.
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

// missing records a folder that is about to be made, with its missing parents.
func (l *leavings) missing(dir string) {
	dir = filepath.Clean(dir)
	if _, err := os.Lstat(dir); errors.Is(err, os.ErrNotExist) && dir != filepath.Dir(dir) {
		l.missing(filepath.Dir(dir))
		*l = append(*l, dir)
	}
}

// remove removes the folders that are empty.
func (l leavings) remove() {
	for _, dir := range slices.Backward(l) {
		_ = os.Remove(dir) // a folder with content stays
	}
}

// undo removes what a failed clone has made: the state folder it has filled, and empty folders. If the folder of the
// notes has files again, everything stays; undo reports whether it does.
func (how *cloning) undo(s *session, dir string) (stays bool) {
	if how.filled {
		entries, err := os.ReadDir(dir)
		if stays = err != nil || len(entries) > 0; stays {
			return true
		}
		_ = s.close()
		s.memory, s.daemon = nil, nil
		if above, err := vfs.Dir(filepath.Dir(s.config.StateDir)); err == nil {
			_ = vfs.RemoveAll(above, filepath.Base(s.config.StateDir)) // the next clone replaces the rest
			_ = above.Close()
		}
	}
	how.made.remove()
	return false
}
