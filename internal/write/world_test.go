// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package write_test

import (
	"context"
	"errors"
	"fmt"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"pgregory.net/rapid"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/faultfs"
	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/internal/write"
)

// world is a memory on two disks, which lose power together.
type world struct {
	t            rapid.TB
	folder, disk *faultfs.FS
	m            *fovea.Memory

	mu      sync.Mutex
	quiet   bool // the operations are another program's
	count   int  // operations that change something
	saved   []*saved
	results map[int]result
	owed    uint64 // the newest commit that was answered as durable
	cuts    []cut
}

// saved is a file that another program saved.
type saved struct {
	path, text string
	at         int    // count
	before     int    // the number of changes that had been answered
	taken      uint64 // the commit that took it; 0 for none
}

// result is the result of a change.
type result struct {
	commit chain.Commit
	first  *graph.Commit
	err    error
}

// cut is the content of the disks after the power failed.
type cut struct {
	folder, disk *faultfs.FS
	at           int
	owed         uint64
	where        string
}

var start = time.Date(2026, 11, 24, 9, 0, 0, 0, time.UTC)

// open opens the memory, with a clock that advances.
func (w *world) open() {
	w.t.Helper()
	now := foveatest.Ticking(start.Add(time.Duration(w.disk.Ops())*time.Second), time.Millisecond)
	m, err := fovea.Open(context.Background(), "/memex", &fovea.Options{Store: w.disk, Folder: w.folder, Now: now})
	if err != nil {
		w.t.Fatalf("open: %v", err)
	}
	w.m = m
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatalf("%v", err)
	}
}

// newWorld returns a memory of some files, one that cannot be written, and one that differs
// from memory since a rollback of memory only.
func newWorld(t rapid.TB) *world {
	w := &world{t: t, folder: faultfs.New(), disk: faultfs.New(), results: map[int]result{}}
	for _, name := range []string{"a.org", "b.org", "sub/c.org", unwritable, drifting, linked} {
		id := strings.NewReplacer("/", "-", ".", "-").Replace(name)
		w.must(w.write(name, "* Of "+name+"\n:PROPERTIES:\n:ID: "+id+"\n:END:\nbody\n* Another\n* And another\n"))
	}
	w.must(w.write(linked, "* Of "+linked+"\n"+strings.Repeat("A line that fills sectors.\n", 60)))
	w.must(errors.Join(w.folder.Link(linked, "other name"), w.folder.SyncDir(".")))
	f, err := w.folder.OpenFile(unwritable, 0, 0)
	w.must(err)
	w.must(errors.Join(f.Chmod(0o444), f.Sync(), f.Close()))
	w.open()
	w.must(w.m.Ingest(context.Background(), nil))
	w.must(w.write(drifting, "* Drifting\n"))
	w.must(w.m.Ingest(context.Background(), nil))
	_, _, err = w.m.History().Rollback(context.Background(), "seq:1", &fovea.WriteOptions{MemoryOnly: true})
	w.must(err)
	w.must(w.m.Close())
	return w
}

// write saves a file durably.
func (w *world) write(name, text string) error {
	err := w.folder.MkdirAll(path.Dir(name), 0o755)
	if err == nil && path.Dir(name) != "." {
		err = w.folder.SyncDir(".")
	}
	if err == nil {
		err = vfs.WriteAtomic(w.folder, name, []byte(text), 0o644)
	}
	return err
}

// outside saves a file as another program.
func (w *world) outside(name string, newText func(string) string) {
	w.mu.Lock()
	w.quiet = true
	w.mu.Unlock()
	text, _ := w.folder.ReadFile(name)
	s := &saved{path: name, text: newText(string(text))}
	err := w.write(name, s.text)
	w.mu.Lock()
	s.at, s.before, w.quiet = w.count, len(w.results), false
	w.saved = append(w.saved, s)
	w.mu.Unlock()
	if err != nil {
		panic(err)
	}
}

// clone returns a memory that is opened on a copy of the disks. onOp sees each operation that changes something.
func (w *world) clone(onOp func(w *world, n int, op faultfs.Op) error) *world {
	c := &world{t: w.t, folder: w.folder.Clone(), disk: w.disk.Clone(), results: map[int]result{}}
	c.open()
	c.watch(onOp)
	return c
}

// watch calls onOp before each operation that changes something, one at a time.
func (w *world) watch(onOp func(w *world, n int, op faultfs.Op) error) {
	hook := func(op faultfs.Op) error {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.quiet || !op.Kind.Changes() {
			return nil
		}
		err := onOp(w, w.count+1, op)
		w.count++
		return err
	}
	w.folder.OnOp(hook)
	w.disk.OnOp(hook)
}

// cut notes what the disks would hold if the power failed now. The caller holds mu.
func (w *world) cut(seed uint64, where string) {
	w.cuts = append(w.cuts, cut{w.folder.Crash(seed), w.disk.Crash(seed * 7), w.count, w.owed, fmt.Sprintf("%s, seed %d", where, seed)})
}

func (w *world) writer() *write.Writer {
	return w.m.Notes().(interface{ Writer() *write.Writer }).Writer()
}

// together performs changes that wait together, in this order.
func (w *world) together(changes []change) {
	writer := w.writer()
	release := writer.Hold()
	var all sync.WaitGroup
	var done atomic.Int64
	for i := range changes {
		c := &changes[i]
		all.Go(func() {
			var r result
			r.commit, r.first, r.err = c.perform(writer, w.outside)
			w.mu.Lock()
			defer w.mu.Unlock()
			if w.results[c.id] = r; r.err == nil && r.first == nil && !c.deferred {
				w.owed = max(w.owed, r.commit.Seq)
			}
			done.Add(1)
		})
		for writer.Waiting()+int(done.Load()) <= i {
			runtime.Gosched()
		}
	}
	release()
	all.Wait()
}

// log lists the commits, oldest first.
func (w *world) log() []chain.Commit {
	w.t.Helper()
	all, err := w.m.History().Log(context.Background(), "", 0)
	w.must(err)
	slices.Reverse(all)
	return all
}

// at returns what memory holds after a commit.
func (w *world) at(seq uint64) state {
	w.t.Helper()
	v, err := w.m.History().At(context.Background(), fmt.Sprint("seq:", seq))
	w.must(err)
	s := state{map[string]string{}, map[string]string{}, map[string]string{}}
	for d := range v.Documents() {
		if id, ok := strings.CutPrefix(d.Path, document.MemoryMark); ok {
			s.trees[id] = d.Title()
		} else {
			s.texts[d.Path], _ = v.Text(d.Path)
		}
	}
	return s
}

// files reads the files of the folder.
func (w *world) files() map[string]string {
	w.t.Helper()
	out := map[string]string{}
	for _, folder := range []string{".", "sub"} {
		entries, err := w.folder.ReadDir(folder)
		w.must(err)
		for _, e := range entries {
			if name := path.Join(folder, e.Name()); path.Ext(name) == ".org" && e.Name()[0] != '.' {
				text, err := w.folder.ReadFile(name)
				w.must(err)
				out[name] = string(text)
			}
		}
	}
	return out
}
