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

// ErrWatchLost is returned by CatchUp when events may have been lost permanently. From
// then on only scans find changes.
var ErrWatchLost = errors.New("the folder can no longer be watched")

// markers are the files written to find a position in the event queue. They alternate,
// so that a duplicate event is not mistaken for the next marker.
var markers = [2]string{"mark.0", "mark.1"}

// maxEventDelay is how long CatchUp waits for the event of its marker.
const maxEventDelay = 5 * time.Second

// Watcher reports possible changes in a memex. It follows the creation and removal of
// folders, and skips hidden and ignored folders and files that do not belong to the
// memex. It is safe for concurrent use.
type Watcher struct {
	root        *Root
	ofInterest  func(path string) bool
	events      *fsnotify.Watcher
	store       vfs.FS // holds the markers
	storePath   string // absolute
	markerFiles [2]vfs.File

	changed chan struct{} // has a value after pending.Seen has grown
	done    chan struct{}

	flushMu sync.Mutex // held while a marker is written and awaited
	marker  int        // index of the current marker

	mu      sync.Mutex
	next    *round        // not started yet; nil for none
	arrived chan struct{} // closed when the event of the marker arrives; nil if no call waits
	awaited string        // absolute path of the awaited marker
	pending Changes
	failure error
	folders map[string]bool // watched folders, below the root
}

// Watch starts watching. store is the absolute path of a folder outside the memex, on a
// local file system, that no other program writes to. ofInterest, which may be nil,
// selects additional files whose names are not those of a memex. The caller must scan
// after Watch returns, and close the Watcher. It is an error if the system cannot watch
// that many folders.
func (r *Root) Watch(ctx context.Context, store string, ofInterest func(path string) bool) (*Watcher, error) {
	w := &Watcher{
		root: r, ofInterest: ofInterest, storePath: filepath.Clean(store), changed: make(chan struct{}, 1),
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
	const queue = 4096 // events buffered in this process; the system buffers more
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

// Close stops the Watcher. The channel of Changed stays open.
func (w *Watcher) Close() error {
	err := w.events.Close()
	<-w.done
	w.release()
	return err
}

// Changed has a value if something may have changed since the last one was received.
func (w *Watcher) Changed() <-chan struct{} { return w.changed }

// Seen returns the number of changes seen so far. A scan that starts after Seen has
// returned finds all of them.
func (w *Watcher) Seen() uint64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.pending.Seen
}

// Drain returns the changes seen since its last call, including all that CatchUp waited
// for. The caller must handle all of them: they are not returned again.
func (w *Watcher) Drain() Changes {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := w.pending
	w.pending = Changes{Seen: n.Seen}
	return n
}

// CatchUp returns when everything that happened before the call has been seen. Because
// events arrive in order, it writes to a watched marker file and waits for that event,
// which takes a fraction of a millisecond. It returns ErrWatchLost if that fails. Calls
// made while another one is waiting share the next marker.
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
	w.flushMu.Lock() // wait for the previous round
	defer w.flushMu.Unlock()
	w.mu.Lock()
	w.next = nil // later calls need a new round
	w.mu.Unlock()
	r.err = w.awaitMarker()
	close(r.done)
	return r.err
}

// round is one marker event, shared by all calls of CatchUp made before it was caused.
type round struct {
	done chan struct{}
	err  error // valid once done is closed
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

// markerArrived ends the wait for the marker of that name.
func (w *Watcher) markerArrived(name string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.arrived != nil && w.awaited == name {
		close(w.arrived)
		w.arrived = nil
	}
}

// rewriteMarker writes the awaited marker again, because its event may be lost.
func (w *Watcher) rewriteMarker() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, name := range markers {
		if w.arrived != nil && w.awaited == filepath.Join(w.storePath, name) {
			_, _ = w.markerFiles[i].WriteAt([]byte{'.'}, 0) // on failure the wait times out
		}
	}
}

func (w *Watcher) err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.failure
}

// fail records that changes may be missed from now on.
func (w *Watcher) fail(err error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.failure == nil {
		w.failure = err
	}
	return w.failure
}

// run reads events until the watcher is closed. It refreshes the watched folders when
// the queue is empty or a call is waiting, so that a burst of folder events causes one
// refresh.
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
			w.refresh() // the queue overflowed; a scan finds the lost events
			w.rewriteMarker()
		}
	}
}

// event handles one event and reports whether the set of folders may have changed.
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

// isFolder reports whether an event concerns a folder, or a link that may lead to one.
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

// refresh watches the current folders and requests a scan.
func (w *Watcher) refresh() {
	if err := w.watchFolders(context.Background()); err != nil {
		_ = w.fail(fmt.Errorf("%w: %w", ErrWatchLost, err))
	}
	w.record(".", false)
}

// record notes a change of a path. created means that the file appeared complete.
func (w *Watcher) record(path string, created bool) {
	w.mu.Lock()
	w.pending.add(path, created)
	w.mu.Unlock()
	select {
	case w.changed <- struct{}{}:
	default:
	}
}

// watchFolders watches every folder of the memex. Each folder is watched before it is
// listed, so that a new file is either listed or causes an event. The system watches a
// renamed folder only once, so all folders are visited again after names disappeared.
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
				_ = w.events.Remove(w.absolute(rel)) // fails if the folder is gone
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

// watchFolder watches one folder, and returns false if it no longer exists.
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

// visit calls enter with the path, without links, of each folder that a scan would read,
// before that folder is listed. An error of enter ends the visit.
func (r *Root) visit(ctx context.Context, enter func(real string) error) error {
	w := &walk{root: r, ctx: ctx, folders: map[string]bool{}, onFolder: enter}
	return w.run()
}
