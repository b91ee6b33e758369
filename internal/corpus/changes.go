// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package corpus

import (
	"io/fs"
	"slices"
	"sync"
)

// Changes is what a Watcher saw since the last call of Drain.
type Changes struct {
	// Seen is the value of Watcher.Seen.
	Seen uint64
	// Created are files that appeared complete under their names, usually by a rename,
	// without duplicates. Nothing else happened to them.
	Created []string
	// Overflow reports that there were other changes, which only a scan can find.
	Overflow bool
}

// maxCreated limits Changes.Created: beyond this number a scan is as fast.
const maxCreated = 64

func (n *Changes) add(path string, created bool) {
	n.Seen++
	switch {
	case n.Overflow:
	case !created, len(n.Created) == maxCreated:
		n.Created, n.Overflow = nil, true
	case !slices.Contains(n.Created, path):
		n.Created = append(n.Created, path)
	}
}

// writtenFiles are the files that Write has put in place, by path, since the last scan and
// the last read of a file written by another program. Such a read clears all of them, because
// another program may have renamed a file back to its old path.
type writtenFiles struct {
	mu    sync.Mutex
	files map[string]File // as stampOf returns them
}

// stampOf identifies a file that is replaced but never written in place. It excludes the
// ctime, which the rename to the final name changes.
func stampOf(info fs.FileInfo) File {
	f := fileOf("", false, info)
	f.CTime = 0
	return f
}

func (o *writtenFiles) record(real string, info fs.FileInfo) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.files == nil {
		o.files = map[string]File{}
	}
	o.files[real] = stampOf(info)
}

func (o *writtenFiles) matches(real string, now File) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return now.Inode != 0 && o.files[real] == now
}

func (o *writtenFiles) clear() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.files = nil
}

// clearUnlessOurs clears the files unless the file that was read is one of them.
func (o *writtenFiles) clearUnlessOurs(file File) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, was := range o.files {
		if was == file {
			return
		}
	}
	o.files = nil
}

// Wrote reports whether the file at a path without links is the one that Write.Apply
// last put there or is about to put there. It cannot detect a write to that file within
// one clock tick that keeps the size, which causes an event of its own: use Wrote only
// for Changes.Created. It costs a stat.
func (r *Root) Wrote(real string) bool {
	info, err := r.dir.fs.Lstat(real)
	return err == nil && info.Mode().IsRegular() && r.written.matches(real, stampOf(info))
}
