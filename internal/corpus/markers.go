// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package corpus

import (
	"os"
	"path/filepath"
	"sync"

	"github.com/fovea-memory/fovea/internal/vfs"
)

// markerNames are the files written to find a position in the event queue. They alternate,
// so that a duplicate event is not mistaken for the next marker.
var markerNames = [2]string{"mark.0", "mark.1"}

// markers writes the markers of a Watcher, one at a time. It is safe for concurrent use.
type markers struct {
	path   string // absolute, of the folder that holds them
	folder vfs.FS
	files  [2]vfs.File

	turn    sync.Mutex // held while a marker is written and awaited
	current int        // index of the current marker; turn and mu guard it

	mu      sync.Mutex
	next    *round        // not started yet; nil for none
	arrived chan struct{} // closed when the event of the marker arrives; nil if no call waits
}

// round is one marker event, shared by all calls of CatchUp made before it was caused.
type round struct {
	done chan struct{}
	err  error // valid once done is closed
}

func (m *markers) open() error {
	folder, err := vfs.Dir(m.path)
	if err != nil {
		return err
	}
	m.folder = folder
	for i, name := range markerNames {
		if m.files[i], err = m.folder.OpenFile(name, os.O_CREATE|os.O_WRONLY, 0o600); err != nil {
			return err
		}
	}
	return nil
}

func (m *markers) close() {
	for _, f := range m.files {
		if f != nil {
			_ = f.Close()
		}
	}
	if m.folder != nil {
		_ = m.folder.Close()
	}
}

// share returns the result of a call of await that begins after the call of share. Calls made
// while another one is waiting share the next call of await.
func (m *markers) share(await func() error) error {
	m.mu.Lock()
	r := m.next
	first := r == nil
	if first {
		r = &round{done: make(chan struct{})}
		m.next = r
	}
	m.mu.Unlock()
	if !first {
		<-r.done
		return r.err
	}
	m.turn.Lock() // wait for the previous round
	defer m.turn.Unlock()
	m.mu.Lock()
	m.next = nil // later calls need a new round
	m.mu.Unlock()
	r.err = await()
	close(r.done)
	return r.err
}

// write writes the next marker; passed is closed when its event arrives. m.turn is held.
func (m *markers) write() (passed chan struct{}, err error) {
	passed = make(chan struct{})
	m.mu.Lock()
	m.current, m.arrived = 1-m.current, passed
	m.mu.Unlock()
	_, err = m.files[m.current].WriteAt([]byte{'.'}, 0)
	return passed, err
}

// arrive ends the wait for the marker with this absolute name.
func (m *markers) arrive(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.arrived != nil && name == filepath.Join(m.path, markerNames[m.current]) {
		close(m.arrived)
		m.arrived = nil
	}
}

// rewrite writes the awaited marker again, because its event may be lost.
func (m *markers) rewrite() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.arrived != nil {
		_, _ = m.files[m.current].WriteAt([]byte{'.'}, 0) // on failure the wait times out
	}
}
