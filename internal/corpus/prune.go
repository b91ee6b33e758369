// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package corpus

import "path"

// Prune removes the folders above a file that is gone, from the inside out, as long as they are
// empty and keep does not hold one. A link to a folder stays, and so does the root. What cannot
// be removed stays: an empty folder does no harm.
func Prune(r *Root, name string, keep func(folder string) bool) {
	for folder := path.Dir(name); folder != "." && folder != "/" && !keep(folder); folder = path.Dir(folder) {
		if info, err := r.dir.fs.Lstat(folder); err != nil || !info.IsDir() {
			return
		}
		if r.dir.fs.Remove(folder) != nil { // it has something in it
			return
		}
		_ = r.dir.fs.SyncDir(path.Dir(folder))
	}
}
