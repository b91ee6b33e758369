// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package hive_test

import (
	"sync/atomic"

	"github.com/fovea-memory/fovea/internal/faultfs"
)

// failAfter makes each operation on the disks fail from a step on. The returned function ends
// that, and reports whether any failed.
func failAfter(w *world, step int, err error) (stop func() bool) {
	var n atomic.Int64
	hook := func(faultfs.Op) error {
		if n.Add(1) >= int64(step) {
			return err
		}
		return nil
	}
	w.folder.OnOp(hook)
	w.disk.OnOp(hook)
	folder, disk := w.folder, w.disk
	return func() bool {
		folder.OnOp(nil)
		disk.OnOp(nil)
		return n.Load() >= int64(step)
	}
}
