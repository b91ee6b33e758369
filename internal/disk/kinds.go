// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"errors"
	"io/fs"

	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// socketFile may be a socket: that of the daemon.
const socketFile = "socket"

// CheckKinds refuses a state folder that has a link, a pipe, a socket or a device
// anywhere in it, also where no file of the store would be: the error wraps
// vfs.ErrNotRegular. A folder that has neither FORMAT nor a history may be somebody
// else's, and is left to Open. It opens no file and changes nothing. O(files).
func CheckKinds(in vfs.FS) error {
	if _, err := in.Lstat(store.FormatFile); errors.Is(err, fs.ErrNotExist) {
		if history, err := hasHistory(in); err != nil || !history {
			return nil // Open says what it is
		}
	}
	return vfs.CheckKinds(in, socketFile)
}

var (
	// ErrOtherMemex is returned by Open when the folder belongs to another memex.
	// After a move of the memex, Adopt makes it the new one's.
	ErrOtherMemex = errors.New("state folder belongs to another memex")
	// ErrForeignFolder is returned by Open when the folder has files and none of
	// them is FORMAT. They are left as they are.
	ErrForeignFolder = errors.New("folder is in use for something else")
)
