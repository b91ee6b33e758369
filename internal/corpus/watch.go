// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package corpus

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/fovea-memory/fovea/internal/vfs"
)

// ErrBlind is returned by Settle when events may have been missed for good: only
// scans tell what changed from now on.
var ErrWatchLost = errors.New("the folder can no longer be watched")

// marks are the files, used in turn, whose changes tell where one is in the queue
// of events: one that comes twice is not taken for the next one.
var markers = [2]string{"mark.0", "mark.1"}

// longestQueue is how long Settle waits for an event of its own.
const maxEventDelay = 5 * time.Second

// Watcher tells that something in a memex may have changed. It sees folders that
// come and go; hidden and ignored ones and files of no interest it leaves out. It
// is safe for concurrent use.
type Watcher struct {
	root        *Root
	ofInterest  func(path string) bool
	events      *fsnotify.Watcher
	store       vfs.FS // of the marks
	storePath   string // where that is, absolute
	markerFiles [2]vfs.File

	changed chan struct{} // holds one when seen has grown
	done    chan struct{}

	flushMu sync.Mutex // held by the one who writes a mark
	marker  int        // which one

	mu      sync.Mutex
	next    *round        // that has not begun, nil for none
	arrived chan struct{} // is closed when the event of the mark was read; nil if nobody waits
	awaited string        // for the mark of this absolute path
	pending Changes
	failure error
	folders map[string]bool // that are watched, below the root
}

// Watch begins to watch. store is the absolute path of a folder outside the memex, on a file system of
// this machine, that nobody else writes to. known, which may be nil, says of files
// whose names are not those of a memex that they are of interest all the same. The
// caller scans after Watch has returned, and closes the Watcher. A system that
// cannot watch so many folders is an error.
func (r *Root) Watch(ctx context.Context, store string, known func(path string) bool) (*Watcher, error) {
	w := &Watcher{
		root: r, ofInterest: known, storePath: filepath.Clean(store), changed: make(chan struct{}, 1),
		done: make(chan struct{}), folders: map[string]bool{},
	}
	if w.ofInterest == nil {
		w.ofInterest = func(string) bool { return false }
	}
	if err := w.open(ctx); err != nil {
		w.release()
		return nil, fmt.Errorf("corpus: watch %s: %w", r.absPaths[0], err)
	}
	go w.run()
	return w, nil
}

func (w *Watcher) open(ctx context.Context) (err error) {
	const queue = 4096 // events that wait in this process; more wait in the system
	if w.events, err = fsnotify.NewBufferedWatcher(queue); err != nil {
		return err
	}
	store, err := vfs.Dir(w.storePath)
	if err != nil {
		return err
	}
	w.store = store
	for i, name := range markers {
		if w.markerFiles[i], err = w.store.OpenFile(name, os.O_CREATE|os.O_WRONLY, 0o600); err != nil {
			return err
		}
	}
	if err = w.events.Add(w.storePath); err != nil {
		return err
	}
	return w.watchFolders(ctx)
}

func (w *Watcher) release() {
	if w.events != nil {
		_ = w.events.Close()
	}
	for _, f := range w.markerFiles {
		if f != nil {
			_ = f.Close()
		}
	}
	if w.store != nil {
		_ = w.store.Close()
	}
}

// Close ends the watching. The channel of Changed stays open.
func (w *Watcher) Close() error {
	err := w.events.Close()
	<-w.done
	w.release()
	return err
}

// Changed holds a value when something may have changed since one was received.
func (w *Watcher) Changed() <-chan struct{} { return w.changed }

// Seen counts what was seen so far. A scan that begins after Seen has answered
// finds all of it.
func (w *Watcher) Seen() uint64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.pending.Seen
}

// News returns what was seen since it was last asked, all that Settle has waited for.
// Who asks looks after all of it: the next one is not told again.
func (w *Watcher) Drain() Changes {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := w.pending
	w.pending = Changes{Seen: n.Seen}
	return n
}

// Settle returns when everything that happened before the call has been seen. It
// writes to a file that is watched as well and waits for that event, a fraction of
// a millisecond: events come in order. It returns ErrBlind when that cannot be told.
// Those who call while one waits share the next event.
func (w *Watcher) CatchUp() error {
	w.mu.Lock()
	r := w.next
	first := r == nil
	if first {
		r = &round{done: make(chan struct{})}
		w.next = r
	}
	w.mu.Unlock()
	if !first {
		<-r.done
		return r.err
	}
	w.flushMu.Lock() // until the round before is over
	defer w.flushMu.Unlock()
	w.mu.Lock()
	w.next = nil // who comes from now on is too late for this one
	w.mu.Unlock()
	r.err = w.awaitMarker()
	close(r.done)
	return r.err
}

// round is one event that those wait for who called before it was caused.
type round struct {
	done chan struct{}
	err  error // when done is closed
}

func (w *Watcher) awaitMarker() error {
	if err := w.err(); err != nil {
		return err
	}
	w.marker = 1 - w.marker
	passed := make(chan struct{})
	w.mu.Lock()
	w.arrived, w.awaited = passed, filepath.Join(w.storePath, markers[w.marker])
	w.mu.Unlock()
	if _, err := w.markerFiles[w.marker].WriteAt([]byte{'.'}, 0); err != nil {
		return w.fail(fmt.Errorf("%w: %w", ErrWatchLost, err))
	}
	late := time.NewTimer(maxEventDelay)
	defer late.Stop()
	select {
	case <-passed:
		return w.err()
	case <-w.done:
		return ErrWatchLost
	case <-late.C:
		return w.fail(fmt.Errorf("%w: no event came for %v", ErrWatchLost, maxEventDelay))
	}
}

// pass lets the one go on who waits for a mark.
func (w *Watcher) markerArrived(name string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.arrived != nil && w.awaited == name {
		close(w.arrived)
		w.arrived = nil
	}
}

// repeat writes the mark that somebody waits for again: its event may be lost.
func (w *Watcher) rewriteMarker() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, name := range markers {
		if w.arrived != nil && w.awaited == filepath.Join(w.storePath, name) {
			_, _ = w.markerFiles[i].WriteAt([]byte{'.'}, 0) // else the one who waits gives up
		}
	}
}

func (w *Watcher) err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.failure
}

// give up seeing everything.
func (w *Watcher) fail(err error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.failure == nil {
		w.failure = err
	}
	return w.failure
}

// run reads events until the watcher is closed. Folders are looked at again when
// the queue is empty or somebody waits, so that a storm of them is one look.
func (w *Watcher) run() {
	defer close(w.done)
	stale := false
	for {
		select {
		case e, ok := <-w.events.Events:
			if !ok {
				return
			}
			waited := filepath.Dir(e.Name) == w.storePath
			stale = !waited && w.event(e) || stale
			if stale && (waited || len(w.events.Events) == 0) {
				w.refresh()
				stale = false
			}
			if waited {
				w.markerArrived(e.Name)
			}
		case _, ok := <-w.events.Errors:
			if !ok {
				return
			}
			w.refresh() // the queue was too short: what was lost, a scan finds
			w.rewriteMarker()
		}
	}
}

// event takes one event, and reports whether there may be other folders now.
func (w *Watcher) event(e fsnotify.Event) (stale bool) {
	rel := filepath.ToSlash(w.root.relative(e.Name))
	switch {
	case rel == "":
	case w.isFolder(rel, e), path.Base(rel) == ignoreFile:
		return true
	case w.root.classify(rel) != foreign, w.ofInterest(rel):
		w.record(rel, e.Op == fsnotify.Create)
	}
	return false
}

// isFolder reports an event of a folder, or of a link, which may lead to one.
func (w *Watcher) isFolder(rel string, e fsnotify.Event) bool {
	if isHidden(path.Base(rel)) {
		return false
	}
	w.mu.Lock()
	watched := w.folders[rel]
	w.mu.Unlock()
	if watched || !e.Has(fsnotify.Create) {
		return watched
	}
	info, err := w.root.fs.Lstat(rel)
	return err == nil && info.Mode()&(fs.ModeDir|fs.ModeSymlink) != 0
}

// again watches the folders that there are now, and has everything looked at.
func (w *Watcher) refresh() {
	if err := w.watchFolders(context.Background()); err != nil {
		_ = w.fail(fmt.Errorf("%w: %w", ErrWatchLost, err))
	}
	w.record(".", false)
}

// note takes in that something happened to a path; came: it was put there whole.
func (w *Watcher) record(path string, came bool) {
	w.mu.Lock()
	w.pending.add(path, came)
	w.mu.Unlock()
	select {
	case w.changed <- struct{}{}:
	default:
	}
}

// follow watches every folder of the memex. Each is watched before it is listed, so
// that what comes into it is either in the list or an event. To the system a folder
// that got another name is watched once: where names went, all are looked at again.
func (w *Watcher) watchFolders(ctx context.Context) error {
	for {
		now := map[string]bool{}
		err := w.root.visit(ctx, func(rel string) error {
			ok, err := w.watchFolder(rel)
			if ok {
				now[rel] = true
			}
			return err
		})
		if err != nil {
			return err
		}
		gone := false
		for rel := range w.folders {
			if !now[rel] {
				_ = w.events.Remove(w.absolute(rel)) // it may be gone by itself
				gone = true
			}
		}
		w.mu.Lock()
		w.folders = now
		w.mu.Unlock()
		if !now["."] {
			return fs.ErrNotExist
		}
		if !gone {
			return nil
		}
	}
}

// add watches one folder, which may be gone already.
func (w *Watcher) watchFolder(rel string) (bool, error) {
	err := w.events.Add(w.absolute(rel))
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return false, nil
	}
	return err == nil, err
}

func (w *Watcher) absolute(rel string) string {
	return filepath.Join(w.root.absPaths[0], filepath.FromSlash(rel))
}

// visit calls enter with each folder that a scan would read, by its path without
// links, before it is listed. An error of enter ends the visit.
func (r *Root) visit(ctx context.Context, enter func(real string) error) error {
	w := &walk{root: r, ctx: ctx, folders: map[string]bool{}, onFolder: enter}
	return w.run()
}
