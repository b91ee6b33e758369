// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package corpus

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"github.com/fovea-memory/fovea/merkle"
)

// Errors of writing, beside those of Read. They come wrapped with the path.
var (
	// ErrChanged is returned when a file does not hold what the write was based
	// on. A ChangedError that says what wraps it.
	ErrChanged = errors.New("the file changed meanwhile")
	// ErrBusy is returned when an editor holds unsaved changes of the file. A
	// BusyError that says who wraps it.
	ErrBusy = errors.New("an editor has unsaved changes of the file")
	// ErrReadOnlyFile is returned when the file, its folder or its file system
	// is not writable.
	ErrReadOnlyFile = errors.New("the file or its folder is read-only; make it writable")
	// ErrNoSpace is returned when the disk or the quota is full.
	ErrNoSpace = errors.New("the disk is full; free some space")
	// ErrLink is returned for the removal of a link: what it leads to stays.
	ErrLink = errors.New("the file is a link; remove it by hand")
)

// ChangedError says what a file holds and what it should have held; the zero
// digest is that of no file. It wraps ErrChanged.
type ChangedError struct {
	Base, Have merkle.Digest
}

// Error says whether the file came, went or changed.
func (e *ChangedError) Error() string {
	switch {
	case e.Base.IsZero():
		return "a file of this name came meanwhile"
	case e.Have.IsZero():
		return "the file was removed meanwhile"
	}
	return ErrChanged.Error()
}

// Unwrap returns ErrChanged.
func (e *ChangedError) Unwrap() error { return ErrChanged }

// BusyError says who holds the file. It wraps ErrBusy.
type BusyError struct {
	Lock EditorLock
}

// Error names the holder and what to do.
func (e *BusyError) Error() string {
	if e.Lock.Holder == HolderUnknown {
		return fmt.Sprintf("%v: %s, which cannot be asked from here; save there, or remove the lock .# beside the file if that editor is gone", ErrBusy, e.Lock.Owner)
	}
	return fmt.Sprintf("%v: %s; save or revert it there", ErrBusy, e.Lock.Owner)
}

// Unwrap returns ErrBusy.
func (e *BusyError) Unwrap() error { return ErrBusy }

// writeError gives the errors of the system their names.
func writeError(err error) error {
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return ErrNoSpace
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return ErrReadOnlyFile
	case errors.Is(err, fs.ErrNotExist):
		return ErrVanished
	case errors.Is(err, syscall.ENAMETOOLONG):
		return ErrName
	}
	return err
}
