// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// Peek returns which memex a state folder belongs to, and the number of its newest
// commit as the last clean close or the newest image has it, without opening the store: a
// process may have it open. Errors: fs.ErrNotExist where there is no FORMAT, and those
// of reading it; a head that cannot be read is passed over.
func Peek(in vfs.FS) (memex string, seq uint64, err error) {
	if info, err := in.Lstat(store.FormatFile); err != nil {
		return "", 0, err
	} else if !info.Mode().IsRegular() {
		return "", 0, &store.Corruption{File: store.FormatFile, Reason: "it is no regular file"}
	}
	text, err := in.ReadFile(store.FormatFile)
	if err != nil {
		return "", 0, err
	}
	f, err := parseFormat(text)
	if err != nil {
		return "", 0, err
	}
	if info, err := in.Lstat(store.HeadFile); err == nil && info.Mode().IsRegular() {
		if h, _, err := readHead(in); err == nil && h != nil {
			seq = h.Head.Seq
		}
	}
	images, err := listImages(in)
	for _, image := range images {
		seq = max(seq, image)
	}
	return f.memex, seq, err
}
