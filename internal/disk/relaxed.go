// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"time"
)

// sync is Store.Sync.
func (j *journal) sync() error {
	j.lead <- struct{}{}
	defer func() { <-j.lead }()
	err := j.cond.writable()
	if err == nil {
		if err = j.syncInPlace(); err != nil {
			err = j.cond.readOnly(err)
		}
	}
	return doing(err, "sync journal")
}

// syncInPlace syncs what was written, where its name still leads to it. The caller
// leads.
func (j *journal) syncInPlace() error {
	if j.writer.late == 0 {
		return nil
	}
	if err := j.writer.sync(); err != nil {
		return err
	}
	return j.placed.check(j.written())
}

// syncLater sees to it that what was just written is durable in time. The caller
// leads.
func (j *journal) syncLater() {
	if j.opts.Relaxed > 0 && !j.timed {
		j.timed = true
		time.AfterFunc(j.opts.Relaxed, j.syncNow)
	}
}

// syncNow is what the timer does. A closed store was synced by Close; an error
// shows at the next Append and in Err.
func (j *journal) syncNow() {
	j.lead <- struct{}{}
	j.timed = false
	<-j.lead
	_ = j.sync()
}
