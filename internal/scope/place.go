// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package scope

import (
	"errors"
	"syscall"

	"github.com/fovea-memory/fovea/internal/corpus"
	"github.com/fovea-memory/fovea/internal/disk"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/store"
)

// CheckKinds rejects a state folder that contains anything but regular files and folders.
func (s *Scope) CheckKinds(op string) error {
	return fault.Wrap(op, s.StateDir, fault.Corrupt, disk.CheckKinds(s.FS))
}

// OpenKind returns the Kind of an error from opening the store. If the system refuses a
// read, the store's contents are unknown: Other. A file in the place of a folder, or the
// reverse, is Corrupt.
func OpenKind(err error) fault.Kind {
	if errno, ok := errors.AsType[syscall.Errno](err); ok && errno != syscall.ENOTDIR && errno != syscall.EISDIR {
		return fault.Other
	}
	return fault.Corrupt
}

// InPlace returns an error if the path of the memex now leads to another folder.
func (s *Scope) InPlace(op string) error {
	return fault.Wrap(op, s.Dir, fault.Conflict, s.Root.InPlace())
}

// StoreInPlace is InPlace for the store alone.
func (s *Scope) StoreInPlace(op string) error {
	err := store.InPlace(s.Chain.Store())
	if errors.Is(err, corpus.ErrReplaced) || errors.Is(err, store.ErrClosed) {
		return nil
	}
	return fault.Wrap(op, s.StateDir, fault.ReadOnly, err)
}

// IsHeadUnstored reports whether changes of the folder are held in memory only: the store
// cannot be written, or its history is missing.
func (s *Scope) IsHeadUnstored() bool {
	return s.Chain.Store().Err() != nil && (s.Memex().Unwritable != nil || s.Chain.Head().Commit.Seq == 0)
}
