// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package vfs

import (
	"errors"
	"io/fs"
	"path"
)

// RemoveAll removes a folder with its contents, or a file, and links without following
// them. What is not there is no error. After an error a part is left.
func RemoveAll(in FS, name string) error {
	info, err := in.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil || !info.IsDir() {
		return errors.Join(err, in.Remove(name))
	}
	entries, err := in.ReadDir(name)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := RemoveAll(in, path.Join(name, e.Name())); err != nil {
			return err
		}
	}
	return in.Remove(name)
}
