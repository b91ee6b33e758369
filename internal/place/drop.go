// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package place

import (
	"encoding/json"
	"path"
	"strings"

	"github.com/fovea-memory/fovea/internal/vfs"
)

// DropCopies removes the copies of other machines' histories, which may contain purged data, for all
// remotes of a memory. It keeps the record of the last Pull, so that a log that goes back is still
// detected. The next Pull makes the copies again. state is the state folder of the memory.
func DropCopies(state vfs.FS) error {
	names, err := Names(state)
	for _, name := range names {
		if err == nil {
			err = dropCopies(state, path.Join(Folder, name, copiesFolder))
		}
	}
	return err
}

func dropCopies(state vfs.FS, folder string) error {
	entries, err := vfs.Entries(state, folder)
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := e.Name()
		if !strings.HasSuffix(name, "."+copyFile) {
			continue
		}
		var have copied
		data, err := state.ReadFile(path.Join(folder, name))
		if err != nil {
			return err
		}
		if json.Unmarshal(data, &have) != nil {
			continue // Pull starts over
		}
		have.Head.Packs, have.Partly = nil, true
		if err := vfs.WriteJSON(state, path.Join(folder, name), have); err != nil {
			return err
		}
	}
	for _, e := range entries { // after all of them are marked to be read again
		if strings.HasSuffix(e.Name(), "."+copyFile) {
			continue
		}
		if err := vfs.RemoveAll(state, path.Join(folder, e.Name())); err != nil {
			return err
		}
	}
	return nil
}
