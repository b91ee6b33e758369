// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"errors"
	"io/fs"
	"sync"

	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// cleanClose is what a clean close leaves in the file head, with the SHA-256 behind it: the
// newest commit, and the least that the journal must have when it is opened again. See
// doc/format/state-folder.md.
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

// readHead returns nil when there is no head; bad is set when there is a
// damaged one, which is then none.
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

// keptHead is the head of a store that is open. It is safe for concurrent use.
type keptHead struct {
	opened cleanClose // as the last clean close left it

	mu  sync.Mutex
	now cleanClose // for the next clean close
}

func (k *keptHead) get() cleanClose {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.now
}

func (k *keptHead) set(h store.Head) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.now.Head = h
}

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
