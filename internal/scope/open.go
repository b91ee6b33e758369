// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package scope

import (
	"errors"

	"github.com/fovea-memory/fovea/internal/disk"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// OpenCopy opens a history in a folder that this process alone uses, and makes a new one where
// the folder is empty: of a copy of a memory, or of one that is being made. memex is the path
// that a new folder records, empty for a copy that no folder belongs to. A damaged copy is a
// store.Corruption. The caller closes the store.
func OpenCopy(in vfs.FS, memex string) (store.Store, error) {
	opened, found, err := disk.Open(in, &disk.Options{Memex: memex})
	if err != nil {
		return nil, err
	}
	if found.Corrupt != nil {
		return nil, errors.Join(found.Corrupt, opened.Close())
	}
	return opened, nil
}
