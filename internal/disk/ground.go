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

// settles is how long after its last change a folder's time of change can be trusted to
// differ after the next one: file systems count it in steps.
const settles = 100 * time.Millisecond

// ground is the folders and files that the next opening needs, as this store left
// them. A write counts only while their names still lead to them: what is written into
// a file that was removed, or replaced, is gone when the process ends. Methods may be
// called concurrently; a nil ground always stands.
type ground struct {
	in vfs.FS

	mu      sync.Mutex
	folders []footing
	files   map[string]heldFile
	growing string // the segment that is written to
}

// footing is a folder as it was last seen.
type footing struct {
	name    string
	seen    vfs.Glimpse
	settled bool // its time of change tells whether its entries are the same
}

// heldFile is a file as the store left it.
type heldFile struct {
	seen vfs.Glimpse
	any  bool // its inode alone tells which file it is: its content may change, or it is open
}

// newGround notes what is there. No other process writes in the folder.
func newGround(in vfs.FS, files []string, growing string) (*ground, error) {
	g := &ground{in: in, files: map[string]heldFile{}, growing: growing}
	for _, name := range []string{".", journalFolder, imageFolder, packFolder} {
		info, err := in.Stat(name)
		if err != nil {
			return nil, err
		}
		g.folders = append(g.folders, footing{name: name, seen: vfs.GlimpseOf(info)})
	}
	for _, name := range append([]string{lockFile, FormatFile, headFile, manifestFile, growing}, files...) {
		info, err := in.Lstat(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue // not every store has each of them
		case err != nil:
			return nil, err
		case !info.Mode().IsRegular():
			continue // it was passed over, as damaged
		}
		g.files[name] = heldFile{vfs.GlimpseOf(info), isOpen(name) || name == growing}
	}
	return g, nil
}

// keep notes a file that the store has made.
func (g *ground) keep(name string) error {
	if g == nil {
		return nil
	}
	info, err := g.in.Lstat(name)
	if err != nil {
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.files[name] = heldFile{vfs.GlimpseOf(info), isOpen(name)}
	return nil
}

// isOpen reports whether a file is open for as long as it is held, so that no other
// gets its inode.
func isOpen(name string) bool {
	return name == lockFile || path.Dir(name) == packFolder && name != manifestFile
}

// drop forgets files that the store is about to replace or remove.
func (g *ground) drop(names ...string) {
	if g == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, name := range names {
		delete(g.files, name)
	}
}

// grow notes the segment that is written to from now on, in place of the one before.
func (g *ground) grow(name string, info fs.FileInfo) error {
	if g == nil {
		return nil
	}
	g.mu.Lock()
	before := g.growing
	g.growing, g.files[name] = name, heldFile{vfs.GlimpseOf(info), true}
	_, held := g.files[before]
	g.mu.Unlock()
	if !held {
		return nil
	}
	return g.keep(before)
}

// owned returns an error unless the lock is still the one that was taken: without it
// another process may write. One system call.
func (g *ground) owned() error {
	if g == nil {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.file(lockFile)
}

// check returns an error that wraps ErrReplaced unless all that the next opening needs
// is in its place, and the journal reaches to a position at least.
// Five system calls, and one for each file of a folder that changed.
func (g *ground) check(end store.Pos) error {
	if g == nil {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for i := range g.folders {
		if err := g.folder(&g.folders[i]); err != nil {
			return err
		}
	}
	return g.journal(end)
}

// reaches returns an error that wraps ErrReplaced unless the segment that is written to is
// in its place and reaches to a position at least. One system call.
func (g *ground) reaches(end store.Pos) error {
	if g == nil {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.journal(end)
}

// journal is reaches; g.mu is held.
func (g *ground) journal(end store.Pos) error {
	held, ok := g.files[g.growing]
	if !ok {
		return nil
	}
	now, err := vfs.Glance(g.in, g.growing)
	if err != nil || !now.Same(held.seen) {
		return replaced(g.growing, err)
	}
	if now.Size < end.Offset && segmentName(end.Segment) == g.growing {
		return fmt.Errorf("%s was cut from outside: %w", g.growing, store.ErrReplaced)
	}
	return nil
}

// folder looks at a folder, and at the files in it where it has changed. g.mu is held.
func (g *ground) folder(f *footing) error {
	now, err := vfs.Glance(g.in, f.name)
	if err != nil || !now.Same(f.seen) || !now.Folder { // a new file may have the inode of a folder
		if f.name == "." {
			return replaced("the state folder", err)
		}
		return replaced(f.name, err)
	}
	if f.settled && now.Changed == f.seen.Changed {
		return nil
	}
	for name := range g.files {
		if path.Dir(name) != f.name || name == g.growing {
			continue
		}
		if err := g.file(name); err != nil {
			return err
		}
	}
	f.seen, f.settled = now, now.Changed != 0 && time.Since(time.Unix(0, now.Changed)) > settles
	return nil
}

// file looks at one file that is held. g.mu is held.
func (g *ground) file(name string) error {
	held, ok := g.files[name]
	if !ok {
		return nil
	}
	now, err := vfs.Glance(g.in, name)
	same := err == nil && now.Same(held.seen) && now.Plain
	if same && !held.any { // a new file may have the inode of one that was removed
		same = now.Size == held.seen.Size && now.Changed == held.seen.Changed
	}
	if !same {
		return replaced(name, err)
	}
	return nil
}

// replaced says what is not in its place; err is that of looking there, or nil.
func replaced(name string, err error) error {
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s was %w", name, store.ErrReplaced)
	}
	return fmt.Errorf("%s was %w, or cannot be looked at: %w", name, store.ErrReplaced, err)
}

// InPlace returns nil while a write would count: the files and folders of the store are
// where it left them, and Options.InPlace says so of what else it needs. Otherwise the
// error is that of a write, and wraps ErrReplaced where something was moved. It changes
// nothing: what was moved away can be put back. A store that is read-only for another
// reason may stand. A few system calls. Errors: ErrClosed.
func (s *Store) InPlace() error {
	s.mu.Lock()
	closed, end := s.closed, s.end
	s.mu.Unlock()
	if closed {
		return store.ErrClosed
	}
	return s.stands(end)
}

// stands is InPlace for a journal that reaches to a position.
func (s *Store) stands(end store.Pos) error {
	if err := s.ground.check(end); err != nil {
		return err
	}
	if s.opts.InPlace != nil {
		return s.opts.InPlace()
	}
	return nil
}

// Owned returns an error unless this process still has the lock that covers the store.
// One system call.
func (s *Store) Owned() error {
	if s.opts.Owned != nil {
		return s.opts.Owned()
	}
	return s.ground.owned()
}

// standOn notes what there is, once the store is open and can be written.
func (s *Store) standOn(o *opening) error {
	var files []string
	for _, number := range o.segments {
		files = append(files, segmentName(number))
	}
	for _, p := range s.packs.packs {
		files = append(files, p.layout.name)
	}
	images, err := listImages(s.in)
	for _, seq := range images {
		files = append(files, imageName(seq))
	}
	if err == nil {
		s.writer.tail, err = readTail(s.in, s.end)
	}
	if err == nil {
		s.ground, err = newGround(s.in, files, segmentName(s.writer.number))
	}
	return err
}
