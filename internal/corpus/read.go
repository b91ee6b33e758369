// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package corpus

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"syscall"
	"unsafe"

	"github.com/fovea-memory/fovea/internal/vfs"
)

// DefaultLimit is the size in bytes up to which Read reads a file when it is
// given no limit. The largest Org file seen has a hundredth of it.
const DefaultLimit = 256 << 20

// readAttempts is how often a file is read that changes meanwhile. Saving takes
// an editor less than one read; a file that still changes is one being copied
// or logged to, which a later scan will find at rest.
const readAttempts = 4

// readPrefix begins the errors of Read.
const readPrefix = "corpus: read "

// Read returns the bytes of a file below the root and the file as it was while
// they were read: size, times and inode are those of the moment, so that an
// [Entry] made of both is true. A file that changes meanwhile is read again.
// limit is the largest size in bytes, DefaultLimit if not positive. It returns
// ErrVanished, ErrTooLarge, ErrUnstable, ErrUnreadable, ErrSpecial, ErrOutside,
// ErrDangling or ErrLoop; [ProblemOf] makes a Problem of each. It never waits
// for a pipe. O(size).
func (r *Root) Read(path string, limit int64) (string, File, error) {
	if limit <= 0 {
		limit = DefaultLimit
	}
	text, info, err := r.read(path, limit)
	if err != nil {
		return "", File{}, fmt.Errorf(readPrefix+"%q: %w", path, err)
	}
	return text, fileOf(path, r.classify(path) != parsed, info), nil
}

func (r *Root) read(path string, limit int64) (string, fs.FileInfo, error) {
	for range readAttempts {
		text, info, stable, err := r.readOnce(path, limit)
		if err != nil || stable {
			return text, info, readError(err)
		}
	}
	return "", nil, ErrUnstable
}

// readOnce reads the file and reports whether it was the same before and after.
func (r *Root) readOnce(path string, limit int64) (text string, info fs.FileInfo, stable bool, err error) {
	f, err := r.open(path)
	if err != nil {
		return "", nil, false, err
	}
	defer f.Close()
	before, err := f.Stat()
	switch {
	case err != nil:
		return "", nil, false, err
	case !before.Mode().IsRegular():
		return "", nil, false, ErrSpecial
	case before.Size() > limit:
		return "", nil, false, fmt.Errorf("%d bytes, limit %d: %w", before.Size(), limit, ErrTooLarge)
	}
	// One byte more shows a file that grew.
	buf := make([]byte, before.Size()+1)
	n, err := io.ReadFull(f, buf)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return "", nil, false, err
	}
	after, err := f.Stat()
	if err != nil {
		return "", nil, false, err
	}
	stable = int64(n) == before.Size() && fileOf(path, false, before) == fileOf(path, false, after)
	// buf is never written to again, so the string is immutable.
	return unsafe.String(unsafe.SliceData(buf), n), after, stable, nil
}

// open opens a file for reading. Without O_NONBLOCK, opening a pipe would wait
// for its other end.
func (r *Root) open(path string) (vfs.File, error) {
	if !fs.ValidPath(path) {
		return nil, ErrOutside
	}
	const flags = syscall.O_RDONLY | syscall.O_NONBLOCK
	f, err := r.fs.OpenFile(path, flags, 0)
	if err == nil || errors.Is(err, fs.ErrPermission) {
		return f, err
	}
	// An absolute link into the root is fine, and the other errors get names.
	real, _, resolveErr := r.resolve(path)
	switch {
	case errors.Is(resolveErr, ErrDangling):
		return nil, ErrVanished
	case resolveErr != nil:
		return nil, resolveErr
	case real == path:
		return nil, err
	}
	return r.fs.OpenFile(real, flags, 0)
}

// readError gives the errors of the system their names.
func readError(err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return ErrVanished
	case errors.Is(err, fs.ErrPermission):
		return ErrUnreadable
	case errors.Is(err, syscall.ENXIO):
		return ErrSpecial // a socket
	}
	return err
}
