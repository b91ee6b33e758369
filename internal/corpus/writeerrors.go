// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package corpus

import (
	"errors"
	"fmt"

	"github.com/fovea-memory/fovea/merkle"
)

// Errors of writing, in addition to those of Read, wrapped with the path.
var (
	// ErrChanged is returned, inside a ChangedError, when a file no longer has the
	// content that the write was based on.
	ErrChanged = errors.New("the file changed meanwhile")
	// ErrBusy is returned, inside a BusyError, when an editor has unsaved changes of
	// the file.
	ErrBusy = errors.New("an editor has unsaved changes of the file")
	// ErrReadOnlyFile is returned when the file, its folder or its file system
	// is not writable.
	ErrReadOnlyFile = errors.New("the file or its folder is read-only; make it writable")
	// ErrNoSpace is returned when the disk or the quota is full.
	ErrNoSpace = errors.New("the disk is full; free some space")
	// ErrLink is returned for the removal of a link, whose target would remain.
	ErrLink = errors.New("the file is a link; remove it by hand")
)

// ChangedError holds the actual and the expected digest of a file; the zero digest
// means that there is no file. It wraps ErrChanged.
type ChangedError struct {
	Base, Have merkle.Digest
}

// Error states whether the file was created, removed or changed.
func (e *ChangedError) Error() string {
	switch {
	case e.Base.IsZero():
		return "a file of this name was created meanwhile"
	case e.Have.IsZero():
		return "the file was removed meanwhile"
	}
	return ErrChanged.Error()
}

// Unwrap returns ErrChanged.
func (e *ChangedError) Unwrap() error { return ErrChanged }

// BusyError holds the editor's lock on the file. It wraps ErrBusy.
type BusyError struct {
	Lock EditorLock
}

// Error names the owner of the lock and what to do.
func (e *BusyError) Error() string {
	if e.Lock.Holder == HolderUnknown {
		return fmt.Sprintf("%v: %s, whose state is unknown here; save there, or remove the lock .# next to the file if that editor has ended",
			ErrBusy, e.Lock.Owner)
	}
	return fmt.Sprintf("%v: %s; save or revert it there", ErrBusy, e.Lock.Owner)
}

// Unwrap returns ErrBusy.
func (e *BusyError) Unwrap() error { return ErrBusy }
