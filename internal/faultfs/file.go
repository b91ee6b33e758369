// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package faultfs

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"reflect"
	"slices"
	"time"

	"github.com/fovea-memory/fovea/internal/vfs"
)

// write is a change of a file's content: bytes at an offset, or with nil bytes
// a new size.
type write struct {
	at   int64
	data []byte
}

// file is an open file.
type file struct {
	in     *FS
	node   *inode
	name   string
	flag   int
	at     int64 // where Read and Write go on
	closed bool
}

func (f *file) do(kind Kind, run func() error) error {
	return f.in.do(kind, f.name, func() error {
		if f.closed {
			return fs.ErrClosed
		}
		return run()
	})
}

// Read implements io.Reader.
func (f *file) Read(p []byte) (int, error) {
	n, err := f.ReadAt(p, f.at)
	f.at += int64(n)
	if n > 0 && err == io.EOF {
		err = nil
	}
	return n, err
}

// ReadAt implements io.ReaderAt.
func (f *file) ReadAt(p []byte, at int64) (n int, err error) {
	err = f.do(OpRead, func() error {
		if at < 0 {
			return fs.ErrInvalid
		}
		n = copy(p, f.node.data[min(at, int64(len(f.node.data))):])
		return nil
	})
	if err == nil && n < len(p) {
		err = io.EOF
	}
	return n, err
}

// Write implements io.Writer.
func (f *file) Write(p []byte) (int, error) {
	n, err := f.write(p, func() int64 {
		if f.flag&os.O_APPEND != 0 {
			return int64(len(f.node.data))
		}
		return f.at
	})
	f.at += int64(n)
	return n, err
}

// WriteAt implements io.WriterAt.
func (f *file) WriteAt(p []byte, at int64) (int, error) {
	if f.flag&os.O_APPEND != 0 || at < 0 {
		return 0, &fs.PathError{Op: string(OpWrite), Path: f.name, Err: fs.ErrInvalid}
	}
	return f.write(p, func() int64 { return at })
}

func (f *file) write(p []byte, where func() int64) (n int, err error) {
	err = f.in.begin(OpWrite, f.name)
	if err != nil && !errors.Is(err, ErrShortWrite) {
		return 0, &fs.PathError{Op: string(OpWrite), Path: f.name, Err: err}
	}
	if err != nil {
		p = p[:len(p)/2]
	}
	f.in.mu.Lock()
	defer f.in.mu.Unlock()
	switch {
	case f.closed:
		err = fs.ErrClosed
	case f.flag&(os.O_WRONLY|os.O_RDWR) == 0:
		err = fs.ErrPermission
	default:
		var full error
		n, full = f.in.store(f.node, where(), p)
		err = errors.Join(err, full)
	}
	if err != nil {
		return n, &fs.PathError{Op: string(OpWrite), Path: f.name, Err: err}
	}
	return n, nil
}

// store writes what fits. f.mu is held.
func (f *FS) store(node *inode, at int64, p []byte) (int, error) {
	var err error
	if growth := at + int64(len(p)) - int64(len(node.data)); f.free >= 0 && growth > f.free {
		p = p[:max(int64(len(p))-(growth-f.free), 0)]
		err = ErrNoSpace
	}
	if len(p) == 0 {
		return 0, err
	}
	w := write{at: at, data: slices.Clone(p)}
	before := len(node.data)
	node.data = w.apply(node.data)
	f.gain(int64(before - len(node.data)))
	node.pending = append(node.pending, w)
	node.mtime = f.now()
	return len(p), err
}

func (f *FS) resize(node *inode, size int64) {
	f.gain(int64(len(node.data)) - size)
	w := write{at: size}
	node.data = w.apply(node.data)
	node.pending = append(node.pending, w)
	node.mtime = f.now()
}

func (f *FS) gain(bytes int64) {
	if f.free >= 0 {
		f.free = max(f.free+bytes, 0)
	}
}

// apply returns the content after the write; it may reuse data.
func (w write) apply(data []byte) []byte {
	if w.data == nil {
		return extend(data[:min(int64(len(data)), w.at)], w.at)
	}
	data = extend(data, w.at+int64(len(w.data)))
	copy(data[w.at:], w.data)
	return data
}

// extend appends zeros until data has at least size bytes.
func extend(data []byte, size int64) []byte {
	if missing := size - int64(len(data)); missing > 0 {
		data = append(data, make([]byte, missing)...)
	}
	return data
}

// Truncate implements vfs.File.
func (f *file) Truncate(size int64) error {
	return f.do(OpTruncate, func() error {
		if size < 0 {
			return fs.ErrInvalid
		}
		if growth := size - int64(len(f.node.data)); f.in.free >= 0 && growth > f.in.free {
			return ErrNoSpace
		}
		f.in.resize(f.node, size)
		return nil
	})
}

// Chmod implements vfs.File.
func (f *file) Chmod(mode fs.FileMode) error {
	return f.do(OpChmod, func() error {
		f.node.mode = mode.Perm()
		return nil
	})
}

// Chown implements vfs.File; all files have one owner, who keeps them.
func (f *file) Chown(int, int) error { return f.do(OpChmod, func() error { return nil }) }

// Sync implements vfs.File. When the hook fails it, what is pending is never
// saved, as after an error of write-back on Linux.
func (f *file) Sync() error {
	err := f.do(OpSync, func() error {
		for _, w := range f.node.pending {
			f.node.durable = w.apply(f.node.durable)
		}
		f.node.pending = nil
		return nil
	})
	if err != nil {
		f.in.mu.Lock()
		defer f.in.mu.Unlock()
		f.node.pending = nil
	}
	return err
}

// SyncData implements vfs.File.
func (f *file) SyncData() error { return f.Sync() }

// Stat implements vfs.File.
func (f *file) Stat() (found fs.FileInfo, err error) {
	err = f.do(OpStat, func() error {
		found = f.in.describe(f.node, f.name)
		return nil
	})
	return found, err
}

// Close implements io.Closer.
func (f *file) Close() error {
	return f.do(OpClose, func() error {
		f.closed = true
		return nil
	})
}

// info is a description of a file at one moment.
type info struct {
	name  string
	size  int64
	mode  fs.FileMode
	mtime time.Time
	links uint64
	inode uint64
}

// describe describes the inode that a name leads to. f.mu is held.
func (f *FS) describe(node *inode, name string) fs.FileInfo {
	i := node.info(path.Base(name))
	i.links = f.root.names(node)
	return i
}

// names counts the names of a file in and below a folder.
func (n *inode) names(of *inode) uint64 {
	var count uint64
	for _, kid := range n.kids {
		if kid == of {
			count++
		}
		count += kid.names(of)
	}
	return count
}

func (n *inode) info(name string) info {
	return info{name: name, size: int64(len(n.data)), mode: n.mode, mtime: n.mtime, inode: uint64(reflect.ValueOf(n).Pointer())}
}

func (i info) Name() string       { return i.name }
func (i info) Size() int64        { return i.size }
func (i info) Mode() fs.FileMode  { return i.mode }
func (i info) ModTime() time.Time { return i.mtime }
func (i info) IsDir() bool        { return i.mode.IsDir() }
func (i info) Sys() any           { return vfs.Identity{Links: i.links, Device: 1, Inode: i.inode} }
