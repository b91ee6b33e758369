// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"errors"
	"io/fs"

	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// cleanClose is the content of the file head, which a clean close writes with its SHA-256: the newest commit,
// and the position that the journal must reach at the next opening. See doc/format/state-folder.md.
type cleanClose struct {
	preamble
	_     [4]byte
	First uint64    // number of the history's first segment
	End   store.Pos // of the journal
	Head  store.Head
	Next  uint64 // number of the batch that comes next there
}

// headSize is its size in bytes, without the digest.
const headSize = 88

func (h cleanClose) encode() []byte {
	h.preamble = preambleOf(store.HeadMagic)
	return digested(appendFixed(nil, h))
}

// readHead returns nil if there is no head, and bad if it is damaged.
func readHead(in vfs.FS) (h *cleanClose, bad *store.Corruption, err error) {
	b, err := in.ReadFile(store.HeadFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if bad := notRegular(err, store.HeadFile); bad != nil {
		return nil, bad, nil
	}
	if err != nil {
		return nil, nil, err
	}
	b, ok := undigested(b, store.HeadMagic)
	if !ok || len(b) != headSize {
		return nil, &store.Corruption{File: store.HeadFile, Reason: "checksum mismatch"}, nil
	}
	h = &cleanClose{}
	readFixed(b, h)
	if err := h.known(); err != nil {
		return nil, nil, err
	}
	return h, nil, nil
}

// Peek returns the memex of a state folder and the number of its newest commit, as of the last clean close or
// the newest image. It does not open the store: another process may have it open. Errors: fs.ErrNotExist
// without FORMAT, and those of reading it; a head that cannot be read is ignored.
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
