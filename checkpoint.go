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

// checkpointName begins the default names of checkpoints; the date follows, so that there
// is one for each day.
const checkpointName = "checkpoint-"

// Checkpoint writes an image of the present state, so that the next opening replays
// nothing, and keeps the state under a name for Restore; the default name is checkpoint-
// and the date. It returns the snapshot and the path of the image. If image and name
// exist already, nothing is written. Errors: Invalid and Denied as in Snapshot, ReadOnly,
// Other (the image cannot be written). O(nodes).
func (m *Memory) Checkpoint(ctx context.Context, name string) (s Snapshot, image string, err error) {
	defer m.chain.Begin().End()
	head := m.chain.Head().Commit
	if err := m.keepable("checkpoint", name); err != nil {
		return Snapshot{}, "", fail("checkpoint", name, Invalid, err)
	}
	if err := m.newName(ctx, name); err != nil {
		return Snapshot{}, "", fail("checkpoint", name, Denied, err)
	}
	if name == "" {
		name = m.todaysCheckpoint(head.Seq)
	}
	if images := m.chain.Writer().Images(); images.Newest() != head.Seq {
		if err := images.Write(); err != nil {
			return Snapshot{}, "", fail("checkpoint", m.state, m.imageErrorKind(), err)
		}
	}
	s, err = m.keep(ctx, name)
	return s, filepath.Join(m.state, filepath.FromSlash(disk.ImageName(head.Seq))), fail("checkpoint", name, ReadOnly, err)
}

// todaysCheckpoint returns the default name for a checkpoint of a commit: the one it has
// already, so that nothing is written twice, else that of the day.
func (m *Memory) todaysCheckpoint(seq uint64) string {
	for _, k := range m.snapshotList() {
		if k.seq == seq && strings.HasPrefix(k.name, checkpointName) {
			return k.name
		}
	}
	return checkpointName + m.opts.Now().Format(time.DateOnly)
}

// Restore rolls back to a named snapshot, made by Checkpoint or Snapshot; an empty name
// means that of the newest commit. Files follow as in Rollback, under the same
// conditions: an error leaves memory and files unchanged. It returns the snapshot, and
// commit and files as Rollback does. Errors: NotFound (no such name, or no named
// snapshot), and those of Rollback.
func (m *Memory) Restore(ctx context.Context, name string, opts *WriteOptions) (Snapshot, Commit, []string, error) {
	from, err := m.namedSnapshot(name)
	if err != nil {
		return Snapshot{}, Commit{}, nil, fail("restore", name, NotFound, err)
	}
	c, files, err := m.Rollback(ctx, fmt.Sprintf("seq:%d", from.Seq), opts)
	return from, c, files, err
}

// namedSnapshot finds a named snapshot; "" means that of the newest commit.
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

// Heartbeat must be called every minute by a process that keeps a memory open. It writes
// an image if much of the journal is newer than the last one, so that the next opening
// stays quick; everything acknowledged is durable without it. Otherwise it writes nothing
// and costs a lookup. It does not read the folder. Errors: Invalid (closed), ReadOnly,
// Other (the image cannot be written; the next call tries again).
func (m *Memory) Heartbeat(ctx context.Context) error {
	defer m.chain.Begin().End()
	if m.closed {
		return fail("heartbeat", m.dir, Invalid, errClosed)
	}
	images := m.chain.Writer().Images()
	if !images.Due() {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return fail("heartbeat", m.state, Other, err)
	}
	err := images.Write()
	return fail("heartbeat", m.state, m.imageErrorKind(), err)
}

// imageErrorKind returns the kind of an error of writing an image. An image that fails
// for lack of space leaves the store writable.
func (m *Memory) imageErrorKind() Kind {
	if m.chain.Store().Err() != nil {
		return ReadOnly
	}
	return Other
}
