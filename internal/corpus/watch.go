// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package corpus

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/fovea-memory/fovea/document"
)

// ErrWatchLost is returned by CatchUp when events may have been lost permanently. From
// then on only scans find changes.
var ErrWatchLost = errors.New("the folder can no longer be watched")

// maxEventDelay is how long CatchUp waits for the event of its marker.
const maxEventDelay = 5 * time.Second

// Watcher reports possible changes in a memex. It follows the creation and removal of
// folders, and skips hidden and ignored folders and files that do not belong to the
// memex. It is safe for concurrent use.
type Watcher struct {
	root       *Root
	ofInterest func(path string) bool
	events     *fsnotify.Watcher
	marks      markers

	changed chan struct{} // has a value after pending.Seen has grown
	done    chan struct{}

	mu      sync.Mutex
	pending Changes
	failure error
	folders map[string]bool // watched folders, below the root
}

// Watch starts watching. store is the absolute path of a folder outside the memex, on a
// local file system, that no other program writes to. ofInterest
// selects additional files whose names are not those of a memex. The caller must scan
// after Watch returns, and close the Watcher. It is an error if the system cannot watch
// that many folders.
func (r *Root) Watch(ctx context.Context, store string, ofInterest func(path string) bool) (*Watcher, error) {
	w := &Watcher{
		root: r, ofInterest: ofInterest, marks: markers{path: filepath.Clean(store)}, changed: make(chan struct{}, 1),
		done: make(chan struct{}), folders: map[string]bool{},
	}
	if err := w.open(ctx); err != nil {
		w.release()
		return nil, fmt.Errorf("corpus: watch %s: %w", r.dir.paths[0], err)
	}
	go w.run()
	return w, nil
}

func (w *Watcher) open(ctx context.Context) (err error) {
	const queue = 4096 // events buffered in this process; the system buffers more
	if w.events, err = fsnotify.NewBufferedWatcher(queue); err != nil {
		return err
	}
	if err = w.marks.open(); err != nil {
		return err
	}
	if err = w.events.Add(w.marks.path); err != nil {
		return err
	}
	return w.watchFolders(ctx)
}

func (w *Watcher) release() {
	if w.events != nil {
		_ = w.events.Close()
	}
	w.marks.close()
}

// Close stops the Watcher. The channel of Changed stays open.
func (w *Watcher) Close() error {
	err := w.events.Close()
	<-w.done
	w.release()
	return err
}

// Changed has a value if there may be changes since the last value was received.
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

// CatchUp returns when all events from before the call have been processed. Because
// events arrive in order, it writes to a watched marker file and waits for that event,
// which takes a fraction of a millisecond. It returns ErrWatchLost if that fails. Calls
// made while another one is waiting share the next marker.
func (w *Watcher) CatchUp() error { return w.marks.share(w.awaitMarker) }

// awaitMarker writes a marker and waits for its event.
func (w *Watcher) awaitMarker() error {
	if err := w.err(); err != nil {
		return err
	}
	passed, err := w.marks.write()
	if err != nil {
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

func (w *Watcher) err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.failure
}

// fail records that changes may be missed from now on.
func (w *Watcher) fail(err error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.failure = cmp.Or(w.failure, err)
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
			waited := filepath.Dir(e.Name) == w.marks.path
			stale = !waited && w.event(e) || stale
			if stale && (waited || len(w.events.Events) == 0) {
				w.refresh()
				stale = false
			}
			if waited {
				w.marks.arrive(e.Name)
			}
		case _, ok := <-w.events.Errors:
			if !ok {
				return
			}
			w.refresh() // the queue overflowed; a scan finds the lost events
			w.marks.rewrite()
		}
	}
}

// event handles one event and reports whether the set of folders may have changed.
func (w *Watcher) event(e fsnotify.Event) (stale bool) {
	rel := filepath.ToSlash(w.root.dir.relative(e.Name))
	switch {
	case rel == "":
	case w.isFolder(rel, e), path.Base(rel) == document.IgnoreFile:
		return true
	case w.root.chosen.classify(rel) != foreign, w.ofInterest(rel):
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
	info, err := w.root.dir.fs.Lstat(rel)
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
		visit := &walk{root: w.root, ctx: ctx, folders: map[string]bool{}, onFolder: func(rel string) error {
			ok, err := w.watchFolder(rel)
			if ok {
				now[rel] = true
			}
			return err
		}}
		if err := visit.run(); err != nil {
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
	return filepath.Join(w.root.dir.paths[0], filepath.FromSlash(rel))
}
