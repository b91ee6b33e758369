// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"sync"
	"time"

	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// settleTime is the age from which a folder's modification time is trusted to differ after the next change:
// file systems count it in steps.
const settleTime = 100 * time.Millisecond

// placement records the folders and files that the next opening needs, as this store left them. A write counts
// only while their names still lead to them: data in a file that was removed or replaced is lost when the
// process ends. Methods may be called concurrently. The placement of a store that cannot be written is empty,
// and always in place.
type placement struct {
	in   vfs.FS
	opts *Options

	mu      sync.Mutex
	folders []heldFolder
	files   map[string]heldFile
	growing string // the segment that is written to
}

// heldFolder is a folder as it was last seen.
type heldFolder struct {
	name    string
	seen    fs.FileInfo
	settled bool // its modification time shows whether its entries changed
}

// heldFile is a file as the store left it.
type heldFile struct {
	seen fs.FileInfo
	any  bool // compared by inode alone: its content may change, or it is open
}

// hold records the present folders and files. No other process writes in the folder.
func (p *placement) hold(files []string, growing string) error {
	p.files, p.growing = map[string]heldFile{}, growing
	for _, name := range []string{".", store.JournalFolder, store.ImageFolder, store.PackFolder} {
		info, err := p.in.Stat(name)
		if err != nil {
			return err
		}
		p.folders = append(p.folders, heldFolder{name: name, seen: info})
	}
	for _, name := range append([]string{store.LockFile, store.FormatFile, store.HeadFile, manifestFile, growing}, files...) {
		info, err := p.in.Lstat(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue // not every store has each of them
		case err != nil:
			return err
		case !info.Mode().IsRegular():
			continue // it was skipped as damaged
		}
		p.files[name] = heldFile{info, isOpen(name) || name == growing}
	}
	return nil
}

// keep records a file that the store wrote.
func (p *placement) keep(name string) error {
	info, err := p.in.Lstat(name)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.files[name] = heldFile{info, isOpen(name)}
	return nil
}

// isOpen reports whether a file stays open while it is held, so that no other file gets its inode.
func isOpen(name string) bool {
	return name == store.LockFile || path.Dir(name) == store.PackFolder && name != manifestFile
}

// drop forgets a file that the store is about to replace or remove.
func (p *placement) drop(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.files, name)
}

// grow records the segment that is written to from now on, instead of the one before.
func (p *placement) grow(name string, info fs.FileInfo) error {
	p.mu.Lock()
	before := p.growing
	p.growing, p.files[name] = name, heldFile{info, true}
	_, held := p.files[before]
	p.mu.Unlock()
	if !held {
		return nil
	}
	return p.keep(before)
}

// owned returns an error unless the lock is still the one that was taken: without it
// another process may write. It asks Options.Owned instead, if that is set. One system call.
func (p *placement) owned() error {
	if p.opts.Owned != nil {
		return p.opts.Owned()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.file(store.LockFile)
}

// check returns an error that wraps ErrReplaced unless all that the next opening needs is in place and the
// journal reaches a position. It also asks Options.InPlace. Five system calls, and one for each file of a
// folder that changed.
func (p *placement) check(end store.Pos) error {
	if err := p.checkFiles(end); err != nil || p.opts.InPlace == nil {
		return err
	}
	return p.opts.InPlace()
}

// checkFiles is check without Options.InPlace.
func (p *placement) checkFiles(end store.Pos) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range p.folders {
		if err := p.folder(&p.folders[i]); err != nil {
			return err
		}
	}
	return p.journal(end)
}

// reaches returns an error that wraps ErrReplaced unless the segment that is written to is in place and reaches
// a position. One system call.
func (p *placement) reaches(end store.Pos) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.journal(end)
}

// journal is reaches; p.mu is held.
func (p *placement) journal(end store.Pos) error {
	held, ok := p.files[p.growing]
	if !ok {
		return nil
	}
	now, err := vfs.Glance(p.in, p.growing)
	if err != nil || !vfs.Same(now, held.seen) {
		return replaced(p.growing, err)
	}
	if now.Size() < end.Offset && segmentName(end.Segment) == p.growing {
		return fmt.Errorf("%s was cut from outside: %w", p.growing, store.ErrReplaced)
	}
	return nil
}

// folder checks a folder, and its files if it has changed. p.mu is held.
func (p *placement) folder(f *heldFolder) error {
	now, err := vfs.Glance(p.in, f.name)
	if err != nil || !vfs.Same(now, f.seen) || !now.IsDir() { // a new file may have the inode of a folder
		if f.name == "." {
			return replaced("the state folder", err)
		}
		return replaced(f.name, err)
	}
	if f.settled && now.ModTime().Equal(f.seen.ModTime()) {
		return nil
	}
	for name := range p.files {
		if path.Dir(name) != f.name || name == p.growing {
			continue
		}
		if err := p.file(name); err != nil {
			return err
		}
	}
	f.seen, f.settled = now, !now.ModTime().IsZero() && time.Since(now.ModTime()) > settleTime
	return nil
}

// file checks one file that is held. p.mu is held.
func (p *placement) file(name string) error {
	held, ok := p.files[name]
	if !ok {
		return nil
	}
	now, err := vfs.Glance(p.in, name)
	same := err == nil && vfs.Same(now, held.seen) && now.Mode().IsRegular()
	if same && !held.any { // a new file may have the inode of one that was removed
		same = now.Size() == held.seen.Size() && now.ModTime().Equal(held.seen.ModTime())
	}
	if !same {
		return replaced(name, err)
	}
	return nil
}

// replaced returns the error for a name that does not lead to its file; err is that of the lookup, or nil.
func replaced(name string, err error) error {
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s was %w", name, store.ErrReplaced)
	}
	return fmt.Errorf("%s was %w, or cannot be read: %w", name, store.ErrReplaced, err)
}
