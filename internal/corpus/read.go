// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package corpus

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"
	"syscall"
	"unsafe"

	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/merkle"
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
	r.written.clearUnlessOurs(stampOf(info))
	return text, fileOf(path, r.classify(path) != parsed, info), nil
}

func (r *Root) read(path string, limit int64) (text string, info fs.FileInfo, err error) {
	info, err = r.readWith(path, limit, func(f io.Reader, size int64) (int64, error) {
		buf := make([]byte, size)
		n, err := io.ReadFull(f, buf)
		// buf is never written to again, so the string is immutable.
		text = unsafe.String(unsafe.SliceData(buf), n)
		return int64(n), err
	})
	if err != nil {
		return "", nil, err
	}
	return text, info, nil
}

// sum returns the digest of a file, as read would give its bytes; zero with an error.
func (r *Root) fileDigest(path string, limit int64) (d merkle.Digest, info fs.FileInfo, err error) {
	buf := buffers.Get().(*[]byte)
	defer buffers.Put(buf)
	info, err = r.readWith(path, limit, func(f io.Reader, size int64) (int64, error) {
		h := sha256.New()
		n, err := io.CopyBuffer(h, io.LimitReader(f, size), *buf)
		h.Sum(d[:0])
		return n, err
	})
	if err != nil {
		return merkle.Digest{}, nil, err
	}
	return d, info, nil
}

// pieces holds buffers for files of which nobody keeps the bytes.
var buffers = sync.Pool{New: func() any { b := make([]byte, 64<<10); return &b }}

// readWith has take read a file, again where it changed meanwhile. take is given how
// many bytes it reads at most, one more than there are, and returns how many it did.
func (r *Root) readWith(path string, limit int64, consume func(f io.Reader, size int64) (int64, error)) (fs.FileInfo, error) {
	for range readAttempts {
		info, stable, err := r.readOnce(path, limit, consume)
		if err != nil || stable {
			return info, readError(err)
		}
	}
	return nil, ErrUnstable
}

// readOnce reads the file and reports whether it was the same before and after.
func (r *Root) readOnce(path string, limit int64, consume func(f io.Reader, size int64) (int64, error)) (info fs.FileInfo, stable bool, err error) {
	f, err := r.open(path)
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	before, err := f.Stat()
	switch {
	case err != nil:
		return nil, false, err
	case !before.Mode().IsRegular():
		return nil, false, ErrSpecial
	case before.Size() > limit:
		return nil, false, fmt.Errorf("%d bytes, limit %d: %w", before.Size(), limit, ErrTooLarge)
	}
	n, err := consume(f, before.Size()+1) // one byte more shows a file that grew
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, false, err
	}
	after, err := f.Stat()
	if err != nil {
		return nil, false, err
	}
	return after, n == before.Size() && fileOf(path, false, before) == fileOf(path, false, after), nil
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
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := r.fs.Lstat(path); errors.Is(err, fs.ErrNotExist) {
			return nil, ErrVanished
		}
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
	case errors.Is(err, syscall.ENAMETOOLONG):
		return ErrName
	}
	return err
}
