// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io/fs"
	"sync"

	"github.com/fovea-memory/fovea/internal/record"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// Layout of the file head; see doc/format/state-folder.md.
const (
	headFile  = "head"
	headMagic = "FOVEAHED"
	headSize  = 120

	headMagicAt   = 0
	headMajorAt   = 8  // uint16
	headMinorAt   = 10 // uint16
	headFirstAt   = 16 // uint64, number of the first segment
	headSegmentAt = 24 // uint64, where the journal ends
	headOffsetAt  = 32 // uint64
	headSeqAt     = 40 // uint64
	headCommitAt  = 48 // 32 bytes
	headBatchAt   = 80 // uint64, number of the batch that comes next
	headDigestAt  = 88 // SHA-256 of the bytes before
)

// cleanClose is what a clean close leaves in the file head: the newest commit, and the
// least that the journal must have when it is opened again.
type cleanClose struct {
	store.Head
	first uint64    // number of the journal's first segment
	end   store.Pos // of the journal
	next  uint64    // number of the batch that comes next there
}

func (h cleanClose) encode() []byte {
	b := make([]byte, headSize)
	copy(b[headMagicAt:], headMagic)
	store.PutFormat(b[headMajorAt:])
	binary.LittleEndian.PutUint64(b[headFirstAt:], h.first)
	binary.LittleEndian.PutUint64(b[headSegmentAt:], h.end.Segment)
	binary.LittleEndian.PutUint64(b[headOffsetAt:], uint64(h.end.Offset))
	binary.LittleEndian.PutUint64(b[headSeqAt:], h.Seq)
	copy(b[headCommitAt:], h.Commit[:])
	binary.LittleEndian.PutUint64(b[headBatchAt:], h.next)
	sum := sha256.Sum256(b[:headDigestAt])
	copy(b[headDigestAt:], sum[:])
	return b
}

func decodeHead(b []byte) (cleanClose, error) {
	damaged := &store.Corruption{File: headFile, Reason: "checksum mismatch"}
	if len(b) != headSize || string(b[:len(headMagic)]) != headMagic {
		return cleanClose{}, damaged
	}
	if sum := sha256.Sum256(b[:headDigestAt]); string(sum[:]) != string(b[headDigestAt:]) {
		return cleanClose{}, damaged
	}
	if err := store.CheckFormat(b[headMajorAt:]); err != nil {
		return cleanClose{}, err
	}
	h := cleanClose{
		Head:  store.Head{Seq: binary.LittleEndian.Uint64(b[headSeqAt:])},
		first: binary.LittleEndian.Uint64(b[headFirstAt:]),
		end:   store.Pos{Segment: binary.LittleEndian.Uint64(b[headSegmentAt:]), Offset: int64(binary.LittleEndian.Uint64(b[headOffsetAt:]))},
		next:  binary.LittleEndian.Uint64(b[headBatchAt:]),
	}
	copy(h.Commit[:], b[headCommitAt:])
	return h, nil
}

// readHead returns nil when there is no head; bad is set when there is a
// damaged one, which is then none.
func readHead(in vfs.FS) (h *cleanClose, bad *store.Corruption, err error) {
	b, err := in.ReadFile(headFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if bad := record.NotRegular(err, headFile); bad != nil {
		return nil, bad, nil
	}
	if err != nil {
		return nil, nil, err
	}
	got, err := decodeHead(b)
	if bad, ok := errors.AsType[*store.Corruption](err); ok {
		return nil, bad, nil
	}
	if err != nil {
		return nil, nil, err
	}
	return &got, nil, nil
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
