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
	Text    string   `json:"text"`
	Pending []string `json:"waits"` // by Sink.ID
	file    string   // of its file
}

// outbox is the folder of messages that wait, a file for each. Names sort as the
// messages came.
type outbox struct {
	folder   string
	sinkIDs  []string
	lastTime time.Time // that a name was made of
}

const (
	messageSuffix      = ".json"
	lastFailureFile    = "tried" // its time is that of the last try that failed
	drainRetryInterval = time.Minute
	nameLayout         = "20060102T150405.000000000"
)

// openOutbox reads what waits. What waits for no sink any more is removed, and so
// is what is no message.
func openOutbox(folder string, sinks []Sink) (*outbox, []*message, error) {
	o := &outbox{folder: folder}
	for _, s := range sinks {
		o.sinkIDs = append(o.sinkIDs, s.ID)
	}
	entries, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("alerts: %w", err)
	}
	var pending []*message
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), messageSuffix) || len(sinks) == 0 {
			continue
		}
		m := &message{file: e.Name()}
		text, err := vfs.ReadPlain(filepath.Join(folder, m.file))
		if err == nil {
			err = json.Unmarshal(text, m)
		}
		m.Pending = slices.DeleteFunc(m.Pending, func(id string) bool { return !slices.Contains(o.sinkIDs, id) })
		if err != nil || len(m.Pending) == 0 {
			_ = os.Remove(filepath.Join(folder, m.file)) // a remnant is looked at again next time
			continue
		}
		pending = append(pending, m)
		if created, err := time.Parse(nameLayout, strings.TrimSuffix(m.file, messageSuffix)); err == nil {
			o.lastTime = created // names go on from there, whatever the clock says
		}
	}
	for len(pending) > maxPending {
		_ = os.Remove(filepath.Join(folder, pending[0].file))
		pending = pending[1:]
	}
	return o, pending, nil
}

// add keeps a message for every sink. The message is there also on an error.
func (o *outbox) create(text string) (*message, error) {
	now := time.Now().UTC()
	if !now.After(o.lastTime) {
		now = o.lastTime.Add(1)
	}
	o.lastTime = now
	m := &message{Text: text, Pending: slices.Clone(o.sinkIDs), file: now.Format(nameLayout) + messageSuffix}
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
		err = os.Rename(f.Name(), filepath.Join(o.folder, m.file))
	}
	if err != nil {
		return fmt.Errorf("alerts: %w", errors.Join(err, os.Remove(f.Name())))
	}
	return nil
}

// sent takes note that a sink has a message. What cannot be written is sent again
// by the next process.
func (o *outbox) markDelivered(m *message, id string) {
	m.Pending = slices.DeleteFunc(m.Pending, func(pendingID string) bool { return pendingID == id })
	if len(m.Pending) > 0 {
		_ = o.write(m)
		return
	}
	_ = os.Remove(filepath.Join(o.folder, m.file))
}

// touch takes note of a try that failed.
func (o *outbox) recordFailure() {
	_ = vfs.WritePlain(filepath.Join(o.folder, lastFailureFile), nil, 0o600) // else the next process tries at once
}

// stale reports whether the last try that failed is so long ago that a process
// that is about to end should wait for another.
func (o *outbox) retryDue() bool {
	info, err := os.Stat(filepath.Join(o.folder, lastFailureFile))
	return err != nil || time.Since(info.ModTime()) >= drainRetryInterval
}
