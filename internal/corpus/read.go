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

// DefaultLimit is the largest size in bytes that Read accepts when no limit is given.
// The largest Org file seen is a hundredth of it.
const DefaultLimit = 256 << 20

// readAttempts is the number of times a file is read if it changes during the read. An
// editor saves faster than one read; a file that still changes is being copied or
// logged to, and a later scan finds it at rest.
const readAttempts = 4

// readPrefix starts the message of every error of Read.
const readPrefix = "corpus: read "

// Read returns the bytes of a file below the root and its size, times and inode at the
// moment of the read, so that an [Entry] built from both is consistent. A file that
// changes during the read is read again. limit is the largest size in bytes;
// DefaultLimit if not positive. Errors: ErrVanished, ErrTooLarge, ErrUnstable,
// ErrUnreadable, ErrSpecial, ErrOutside, ErrDangling, ErrLoop; [ProblemOf] converts
// them. Read never blocks on a pipe. O(size).
func (r *Root) Read(path string, limit int64) (string, File, error) {
	if limit <= 0 {
		limit = DefaultLimit
	}
	text, info, err := r.dir.read(path, limit)
	if err != nil {
		return "", File{}, fmt.Errorf(readPrefix+"%q: %w", path, err)
	}
	r.written.clearUnlessOurs(stampOf(info))
	return text, fileOf(path, r.chosen.classify(path) != parsed, info), nil
}

// read returns the bytes of a file.
func (d *folder) read(path string, limit int64) (text string, info fs.FileInfo, err error) {
	info, err = d.readWith(path, limit, func(f io.Reader, size int64) (int64, error) {
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

// fileDigest returns the digest of the bytes that read would return, without holding the
// whole file in memory.
func (d *folder) fileDigest(path string) (sum merkle.Digest, info fs.FileInfo, err error) {
	part := parts.Get().(*[]byte)
	defer parts.Put(part)
	h := sha256.New()
	info, err = d.readWith(path, DefaultLimit, func(f io.Reader, size int64) (int64, error) {
		h.Reset()
		return io.CopyBuffer(h, io.LimitReader(f, size), *part)
	})
	if err != nil {
		return merkle.Digest{}, nil, err
	}
	return merkle.Digest(h.Sum(nil)), info, nil
}

// parts holds the buffers of fileDigest.
var parts = sync.Pool{New: func() any { b := make([]byte, 64<<10); return &b }}

// readWith calls consume to read a file, and again if the file changed meanwhile. consume reads
// at most size bytes, one more than the file has, and returns their number.
func (d *folder) readWith(path string, limit int64, consume func(f io.Reader, size int64) (int64, error)) (fs.FileInfo, error) {
	for range readAttempts {
		info, stable, err := d.readOnce(path, limit, consume)
		if err != nil {
			return nil, readError(err)
		}
		if stable {
			return info, nil
		}
	}
	return nil, ErrUnstable
}

// readOnce reads the file once and reports whether it stayed the same.
func (d *folder) readOnce(path string, limit int64, consume func(f io.Reader, size int64) (int64, error)) (info fs.FileInfo, stable bool, err error) {
	f, err := d.openFile(path)
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
	n, err := consume(f, before.Size()+1) // the extra byte reveals a file that grew
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, false, err
	}
	after, err := f.Stat()
	if err != nil {
		return nil, false, err
	}
	return after, n == before.Size() && fileOf(path, false, before) == fileOf(path, false, after), nil
}

// openFile opens a file for reading. O_NONBLOCK keeps the opening of a pipe from waiting
// for a writer.
func (d *folder) openFile(path string) (vfs.File, error) {
	if !fs.ValidPath(path) {
		return nil, ErrOutside
	}
	const flags = syscall.O_RDONLY | syscall.O_NONBLOCK
	f, err := d.fs.OpenFile(path, flags, 0)
	if err == nil || errors.Is(err, fs.ErrPermission) {
		return f, err
	}
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := d.fs.Lstat(path); errors.Is(err, fs.ErrNotExist) {
			return nil, ErrVanished
		}
	}
	// An absolute link into the root is valid; the other errors become sentinels.
	real, _, resolveErr := d.resolve(path)
	switch {
	case errors.Is(resolveErr, ErrDangling):
		return nil, ErrVanished
	case resolveErr != nil:
		return nil, resolveErr
	case real == path:
		return nil, err
	}
	return d.fs.OpenFile(real, flags, 0)
}
