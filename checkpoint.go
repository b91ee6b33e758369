// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/fovea-memory/fovea/internal/disk"
)

// checkpointName begins the names of checkpoints that nobody named; the day
// follows, so that one is kept for each day.
const checkpointName = "checkpoint-"

// Checkpoint writes an image of the present state now, so that the next opening
// replays nothing, and keeps the state under a name for Restore; without a name
// it is checkpoint- and the day. It returns the snapshot and the path of the
// image. Where the image and the name are there already, nothing is written.
// Errors: Invalid and Denied as of Snapshot, ReadOnly, Other (the image cannot be written). O(nodes).
func (m *Memory) Checkpoint(ctx context.Context, name string) (s Snapshot, image string, err error) {
	defer m.chain.Begin().End()
	head := m.View().commit
	if err := m.keepable("checkpoint", name); err != nil {
		return Snapshot{}, "", fail("checkpoint", name, Invalid, err)
	}
	if err := m.newName(ctx, name); err != nil {
		return Snapshot{}, "", fail("checkpoint", name, Denied, err)
	}
	if name == "" {
		name = m.todaysCheckpoint(head.Seq)
	}
	if images := m.chain.Held().Images(); images.Newest() != head.Seq {
		if err := images.Write(); err != nil {
			return Snapshot{}, "", fail("checkpoint", m.state, m.imageErrorKind(), err)
		}
	}
	s, err = m.keep(ctx, name)
	return s, filepath.Join(m.state, filepath.FromSlash(disk.ImageName(head.Seq))), fail("checkpoint", name, ReadOnly, err)
}

// todaysCheckpoint names a checkpoint of a commit that nobody named: as it was
// named before, so that nothing is written twice, else by the day.
func (m *Memory) todaysCheckpoint(seq uint64) string {
	for _, k := range m.snapshotList() {
		if k.seq == seq && strings.HasPrefix(k.name, checkpointName) {
			return k.name
		}
	}
	return checkpointName + m.opts.Now().Format(time.DateOnly)
}

// Restore rolls back to a named snapshot, be it one of Checkpoint or of
// Snapshot; without a name to the one of the newest commit. Files follow as in
// Rollback, under the same conditions: an error leaves memory and files as they
// were. It returns the snapshot, and commit and files as Rollback does. Errors: NotFound
// (no such name, or none at all), and those of Rollback.
func (m *Memory) Restore(ctx context.Context, name string, opts *RollbackOptions) (Snapshot, Commit, []string, error) {
	from, err := m.namedSnapshot(name)
	if err != nil {
		return Snapshot{}, Commit{}, nil, fail("restore", name, NotFound, err)
	}
	c, files, err := m.Rollback(ctx, fmt.Sprintf("seq:%d", from.Seq), opts)
	return from, c, files, err
}

// namedSnapshot finds a named snapshot; "" is the one of the newest commit.
func (m *Memory) namedSnapshot(name string) (Snapshot, error) {
	for _, s := range m.Snapshots() {
		if s.Name != "" && (name == "" || s.Name == name) {
			return s, nil
		}
	}
	if name == "" {
		return Snapshot{}, errors.New("there is no checkpoint yet: fovea checkpoint makes one")
	}
	return Snapshot{}, errors.New("no checkpoint and no file of that name: fovea snapshot list and fovea log show what there is")
}

// Heartbeat is to be called every minute by a process that keeps a memory open.
// It writes an image when much of the journal lies behind the newest, so that
// the next opening stays quick; everything acknowledged is durable without it.
// Otherwise, and where nothing changed, it writes nothing and costs a look. It
// does not read the folder. Errors: Invalid (closed), ReadOnly, Other (the image
// cannot be written; the next call tries again).
func (m *Memory) Heartbeat(ctx context.Context) error {
	defer m.chain.Begin().End()
	if m.closed {
		return fail("heartbeat", m.dir, Invalid, errClosed)
	}
	images := m.chain.Held().Images()
	if !images.Due() {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return fail("heartbeat", m.state, Other, err)
	}
	err := images.Write()
	return fail("heartbeat", m.state, m.imageErrorKind(), err)
}

// imageErrorKind is the kind of an error of writing an image. One that is not
// written for want of space leaves the store as it is.
func (m *Memory) imageErrorKind() Kind {
	if m.chain.Store().Err() != nil {
		return ReadOnly
	}
	return Other
}
