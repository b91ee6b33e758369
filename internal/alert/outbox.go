// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package alert

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fovea-memory/fovea/internal/vfs"
)

// message waits for the sinks that have not taken it yet.
type message struct {
	Text  string   `json:"text"`
	Waits []string `json:"waits"` // by Sink.ID
	name  string   // of its file
}

// outbox is the folder of messages that wait, a file for each. Names sort as the
// messages came.
type outbox struct {
	folder string
	sinks  []string
	last   time.Time // that a name was made of
}

const (
	messageSuffix = ".json"
	triedName     = "tried" // its time is that of the last try that failed
	again         = time.Minute
	nameTime      = "20060102T150405.000000000"
)

// openOutbox reads what waits. What waits for no sink any more is removed, and so
// is what is no message.
func openOutbox(folder string, sinks []Sink) (*outbox, []*message, error) {
	o := &outbox{folder: folder}
	for _, s := range sinks {
		o.sinks = append(o.sinks, s.ID)
	}
	entries, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("alerts: %w", err)
	}
	var waiting []*message
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), messageSuffix) || len(sinks) == 0 {
			continue
		}
		m := &message{name: e.Name()}
		text, err := vfs.ReadPlain(filepath.Join(folder, m.name))
		if err == nil {
			err = json.Unmarshal(text, m)
		}
		m.Waits = slices.DeleteFunc(m.Waits, func(id string) bool { return !slices.Contains(o.sinks, id) })
		if err != nil || len(m.Waits) == 0 {
			_ = os.Remove(filepath.Join(folder, m.name)) // a remnant is looked at again next time
			continue
		}
		waiting = append(waiting, m)
		if at, err := time.Parse(nameTime, strings.TrimSuffix(m.name, messageSuffix)); err == nil {
			o.last = at // names go on from there, whatever the clock says
		}
	}
	for len(waiting) > kept {
		_ = os.Remove(filepath.Join(folder, waiting[0].name))
		waiting = waiting[1:]
	}
	return o, waiting, nil
}

// add keeps a message for every sink. The message is there also on an error.
func (o *outbox) add(text string) (*message, error) {
	now := time.Now().UTC()
	if !now.After(o.last) {
		now = o.last.Add(1)
	}
	o.last = now
	m := &message{Text: text, Waits: slices.Clone(o.sinks), name: now.Format(nameTime) + messageSuffix}
	return m, o.write(m)
}

func (o *outbox) write(m *message) error {
	text, err := json.Marshal(m)
	if err == nil {
		err = os.MkdirAll(o.folder, 0o700)
	}
	if err != nil {
		return fmt.Errorf("alerts: %w", err)
	}
	f, err := os.CreateTemp(o.folder, ".new-*")
	if err != nil {
		return fmt.Errorf("alerts: %w", err)
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), filepath.Join(o.folder, m.name))
	}
	if err != nil {
		return fmt.Errorf("alerts: %w", errors.Join(err, os.Remove(f.Name())))
	}
	return nil
}

// sent takes note that a sink has a message. What cannot be written is sent again
// by the next process.
func (o *outbox) sent(m *message, id string) {
	m.Waits = slices.DeleteFunc(m.Waits, func(one string) bool { return one == id })
	if len(m.Waits) > 0 {
		_ = o.write(m)
		return
	}
	_ = os.Remove(filepath.Join(o.folder, m.name))
}

// touch takes note of a try that failed.
func (o *outbox) touch() {
	_ = vfs.WritePlain(filepath.Join(o.folder, triedName), nil, 0o600) // else the next process tries at once
}

// stale reports whether the last try that failed is so long ago that a process
// that is about to end should wait for another.
func (o *outbox) stale() bool {
	info, err := os.Stat(filepath.Join(o.folder, triedName))
	return err != nil || time.Since(info.ModTime()) >= again
}
