// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"errors"
	"io/fs"

	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/vfs"
)

var (
	// ErrOtherMemex is returned by Open when the folder belongs to another memex.
	// After a move of the memex, Adopt makes it the new one's.
	ErrOtherMemex = errors.New("state folder belongs to another memex")
	// ErrForeignFolder is returned by Open when the folder has files and none of
	// them is FORMAT. They are left as they are.
	ErrForeignFolder = errors.New("folder is in use for something else")
)

// notRegular says what is in the place of a file, from an error that wraps
// vfs.ErrNotRegular.
func notRegular(err error) string {
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		err = at.Err
	}
	return err.Error()
}

// isNot returns a Corruption where an error says that something else than a regular
// file is in the place of one, else nil.
func isNot(err error, file string) *store.Corruption {
	if !errors.Is(err, vfs.ErrNotRegular) {
		return nil
	}
	return &store.Corruption{File: file, Reason: notRegular(err)}
}
