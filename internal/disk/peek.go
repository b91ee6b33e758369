// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"github.com/fovea-memory/fovea/internal/vfs"
)

// Peek returns which memex a state folder belongs to, and the number of its newest
// commit as the last clean close or the newest image has it, without opening the store: a
// process may have it open. Errors: fs.ErrNotExist where there is no FORMAT, and those
// of reading it; a head that cannot be read is passed over.
func Peek(in vfs.FS) (memex string, seq uint64, err error) {
	in = vfs.Plain(in)
	f, err := readFormat(in)
	if err != nil {
		return "", 0, err
	}
	if h, _, err := readHead(in); err == nil && h != nil {
		seq = h.Head.Seq
	}
	images, err := listImages(in)
	for _, image := range images {
		seq = max(seq, image)
	}
	return f.memex, seq, err
}
