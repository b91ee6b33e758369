// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package travel

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/internal/store"
)

// checkpointPrefix begins the default names of checkpoints; the date follows, for one a day.
const checkpointPrefix = "checkpoint-"

// Checkpoint is that of fovea.History.
func (h *History) Checkpoint(ctx context.Context, name string) (s Snapshot, image string, err error) {
	tx := h.scope.Chain.Begin()
	defer tx.End()
	head := h.scope.Chain.Head().Commit
	if err := h.keepable(ctx, tx, "checkpoint", name); err != nil {
		return Snapshot{}, "", err
	}
	if name == "" {
		name = nameOfCheckpoint(h, head.Seq)
	}
	if images := tx.Images(); images.Newest() != head.Seq {
		if err := images.Write(); err != nil {
			return Snapshot{}, "", fault.Wrap("checkpoint", h.scope.StateDir, imageErrorKind(h.scope.Chain), err)
		}
	}
	s, err = h.keep(ctx, tx, name)
	return s, filepath.Join(h.scope.StateDir, filepath.FromSlash(store.ImageName(head.Seq))), fault.Wrap("checkpoint", name, fault.ReadOnly, err)
}

// nameOfCheckpoint returns the default name for a checkpoint of a commit: the existing one, so that
// nothing is written twice, else that of the day.
func nameOfCheckpoint(h *History, seq uint64) string {
	for _, k := range h.snapshotList() {
		if k.seq == seq && strings.HasPrefix(k.name, checkpointPrefix) {
			return k.name
		}
	}
	return checkpointPrefix + h.scope.Options.Now().Format(time.DateOnly)
}

// Restore is that of fovea.History.
func (h *History) Restore(ctx context.Context, name string, opts *scope.WriteOptions) (Snapshot, chain.Commit, []string, error) {
	from, err := named(h.Snapshots(), name)
	if err != nil {
		return Snapshot{}, chain.Commit{}, nil, fault.Wrap("restore", name, fault.NotFound, err)
	}
	c, files, err := h.Rollback(ctx, fmt.Sprintf("seq:%d", from.Seq), opts)
	return from, c, files, err
}

// named finds a named snapshot; "" means the newest one.
func named(list []Snapshot, name string) (Snapshot, error) {
	for _, s := range list {
		if s.Name != "" && (name == "" || s.Name == name) {
			return s, nil
		}
	}
	if name == "" {
		return Snapshot{}, errors.New("there is no checkpoint yet: fovea checkpoint makes one")
	}
	return Snapshot{}, errors.New("no checkpoint and no file of that name: fovea snapshot list and fovea log show what there is")
}

// heartbeatBytes is the length of the journal since the newest image from which a heartbeat writes
// another image, so that an opening replays for a fraction of a second at most.
const heartbeatBytes = 8 << 20

// Heartbeat is that of fovea.History.
func (h *History) Heartbeat(ctx context.Context) error {
	tx := h.scope.Chain.Begin()
	defer tx.End()
	if h.scope.IsClosed(tx) {
		return fault.Wrap("heartbeat", h.scope.Dir, fault.Invalid, scope.ErrClosed)
	}
	images := tx.Images()
	if !images.Due() && images.Behind() < heartbeatBytes {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return fault.Wrap("heartbeat", h.scope.StateDir, fault.Other, err)
	}
	err := images.Write()
	return fault.Wrap("heartbeat", h.scope.StateDir, imageErrorKind(h.scope.Chain), err)
}

// imageErrorKind returns the kind of an error from writing an image. A lack of space leaves the
// store writable.
func imageErrorKind(c *chain.Chain) fault.Kind {
	if c.Store().Err() != nil {
		return fault.ReadOnly
	}
	return fault.Other
}
