// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package hive_test

import (
	"context"
	"errors"
	"path"
	"strings"
	"testing"
	"time"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/faultfs"
	"github.com/fovea-memory/fovea/internal/hive"
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/node"
)

// world is a memory with a clock that the test sets.
type world struct {
	t            testing.TB
	folder, disk *faultfs.FS
	m            *fovea.Memory
	now          time.Time
}

var start = time.Date(2026, 11, 24, 9, 0, 0, 0, time.UTC)

const someTasks = `* TODO Weld the hull
:PROPERTIES:
:ID: hull
:END:
** Notes on it
:PROPERTIES:
:ID: notes
:END:
* TODO Paint it
:PROPERTIES:
:ID: paint
:DEPENDS_ON: hull
:END:
`

func newWorld(t testing.TB, files map[string]string) *world {
	t.Helper()
	w := &world{t: t, folder: faultfs.New(), disk: faultfs.New(), now: start.Add(-time.Second)}
	for name, text := range files {
		w.write(name, text)
	}
	w.open()
	t.Cleanup(func() { w.m.Close() })
	must(t, w.m.Ingest(t.Context(), nil))
	w.now = start
	return w
}

func (w *world) write(name, text string) {
	w.t.Helper()
	err := w.folder.MkdirAll(path.Dir(name), 0o755)
	if err == nil {
		err = vfs.WriteAtomic(w.folder, name, []byte(text), 0o644)
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) open() {
	w.t.Helper()
	m, err := fovea.Open(context.Background(), "/memex", &fovea.Options{Store: w.disk, Folder: w.folder, Now: func() time.Time { return w.now }})
	if err != nil {
		w.t.Fatal(err)
	}
	w.m = m
}

// crash loses the process; what the disks hold stays.
func (w *world) crash() {
	w.t.Helper()
	folder, disk := w.folder.Clone(), w.disk.Clone()
	w.m.Close()
	w.folder, w.disk = folder, disk
	w.open()
}

func (w *world) hive() *hive.Hive { return fovea.HiveOf(w.m) }

// text returns a file as memory holds it, with one blank between a key and its value.
func (w *world) text(name string) string {
	text, _ := w.m.View().Text(name)
	for strings.Contains(text, ":  ") {
		text = strings.ReplaceAll(text, ":  ", ": ")
	}
	return text
}

// as returns a context of an agent that writes its own folder and tasks.
func as(name string) context.Context {
	return author.WithActor(context.Background(), author.Actor{Author: author.Named(name), Session: "s-" + name, May: func(p string) error {
		if strings.HasPrefix(p, "agents/"+name+"/") || p == "tasks.org" || strings.HasPrefix(p, "tasks/") {
			return nil
		}
		return errors.New("not yours")
	}})
}

// fails requires an error with a cause and a kind.
func fails(t testing.TB, err, cause error, kind fault.Kind) {
	t.Helper()
	if !errors.Is(err, cause) || fault.KindOf(err) != kind {
		t.Errorf("error %v of kind %v, want %v of kind %v", err, fault.KindOf(err), cause, kind)
	}
	if err != nil && strings.Contains(err.Error(), "\n") {
		t.Errorf("an error of several lines: %v", err)
	}
}

// must stops the test at an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// document returns the node of a file.
func (w *world) document(name string) *node.Node {
	w.t.Helper()
	for n := range w.m.View().Documents() {
		if n.Path == name {
			return n
		}
	}
	w.t.Fatalf("no %s", name)
	return nil
}
