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

// message is an alert that some sinks have not received yet. Its JSON is the format of
// its file.
type message struct {
	Text    string   `json:"text"`
	Pending []string `json:"waits"` // Sink.IDs without the message
	file    string   // file name
}

// outbox is the folder of pending messages, one file each. File names sort in the order
// in which messages were created.
type outbox struct {
	folder   string
	lastTime time.Time // time in the newest file name
}

const (
	messageSuffix      = ".json"
	lastFailureFile    = "tried" // its mtime is the time of the last failed attempt
	drainRetryInterval = time.Minute
	nameLayout         = "20060102T150405.000000000"
)

// openOutbox reads the pending messages. It removes files that are not messages, and
// messages that no configured sink is waiting for.
func openOutbox(folder string, sinks []Sink) (*outbox, []*message, error) {
	o := &outbox{folder: folder}
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
		m.Pending = slices.DeleteFunc(m.Pending, func(id string) bool {
			return !slices.ContainsFunc(sinks, func(s Sink) bool { return s.ID == id })
		})
		if err != nil || len(m.Pending) == 0 {
			o.remove(m)
			continue
		}
		pending = append(pending, m)
		if created, err := time.Parse(nameLayout, strings.TrimSuffix(m.file, messageSuffix)); err == nil {
			o.lastTime = created // new names sort after it even if the clock goes back
		}
	}
	for len(pending) > maxPending {
		o.remove(pending[0])
		pending = pending[1:]
	}
	return o, pending, nil
}

// create stores a new message.
func (o *outbox) create(m *message) error {
	now := time.Now().UTC()
	if !now.After(o.lastTime) {
		now = o.lastTime.Add(1)
	}
	o.lastTime = now
	m.file = now.Format(nameLayout) + messageSuffix
	return o.write(m)
}

func (o *outbox) write(m *message) error {
	text, err := json.Marshal(m)
	if err == nil {
		err = vfs.WriteFile(filepath.Join(o.folder, m.file), text, 0o600)
	}
	if err != nil {
		return fmt.Errorf("alerts: %w", err)
	}
	return nil
}

// remove removes the file of a message. If that fails, the next open tries again.
func (o *outbox) remove(m *message) { _ = os.Remove(filepath.Join(o.folder, m.file)) }

// recordFailure records the time of a failed attempt.
func (o *outbox) recordFailure() {
	_ = vfs.WritePlain(filepath.Join(o.folder, lastFailureFile), nil, 0o600) // if that fails, the next process retries at once
}

// retryDue reports whether the last failed attempt is long enough ago that Drain should
// wait for another one.
func (o *outbox) retryDue() bool {
	info, err := os.Stat(filepath.Join(o.folder, lastFailureFile))
	return err != nil || time.Since(info.ModTime()) >= drainRetryInterval
}
