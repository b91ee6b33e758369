// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package corpus

import (
	"io/fs"
	"slices"
	"sync"
)

// News is what a Watcher saw since it was asked before.
type Changes struct {
	// Seen is what Watcher.Seen counted.
	Seen uint64
	// Came are the files that were put under their names whole, by renaming mostly,
	// each once. Nothing else happened to them.
	Created []string
	// More reports that more happened than Came says: only a scan tells what.
	Overflow bool
}

// mostCame bounds News.Came: so many files are listed as quickly.
const maxCreated = 64

func (n *Changes) add(path string, came bool) {
	n.Seen++
	switch {
	case n.Overflow:
	case !came, len(n.Created) == maxCreated:
		n.Created, n.Overflow = nil, true
	case !slices.Contains(n.Created, path):
		n.Created = append(n.Created, path)
	}
}

// own is what Write has put under names since the folder was last listed, and a file
// of somebody else was last read, one entry for each path. Where others had a name
// meanwhile, a file that comes back to it is not what is known to be there.
type writtenFiles struct {
	mu    sync.Mutex
	files map[string]stamp
}

// stamp tells a file that was put under a name from every other one, as long as
// nobody writes into it. The time of the last change is none of it: giving the file
// its name changes that.
type stamp struct {
	inode uint64
	size  int64
	mtime int64
}

func stampOf(info fs.FileInfo) stamp {
	f := fileOf("", false, info)
	return stamp{f.Inode, f.Size, f.MTime}
}

func (o *writtenFiles) record(real string, info fs.FileInfo) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.files == nil {
		o.files = map[string]stamp{}
	}
	o.files[real] = stampOf(info)
}

func (o *writtenFiles) matches(real string, now stamp) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	was, ok := o.files[real]
	return ok && was == now && now.inode != 0
}

// forget ends what is known.
func (o *writtenFiles) clear() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.files = nil
}

// saw forgets where the file that was read is none of those.
func (o *writtenFiles) clearUnlessOurs(file stamp) {
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
// last put there, or is just putting there. Who writes into that very file within a
// tick of the clock, keeping its size, is not told by this, but by an event: ask it
// of News.Came alone. It costs a stat.
func (r *Root) Wrote(real string) bool {
	info, err := r.fs.Lstat(real)
	return err == nil && info.Mode().IsRegular() && r.written.matches(real, stampOf(info))
}
