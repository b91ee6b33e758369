// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package chain

import (
	"context"
	"errors"
	"slices"

	"github.com/fovea-memory/fovea/internal/bound"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/store"
)

// minTrackedOps is the number of recent operation keys remembered for deduplication; up to twice as many are
// kept.
const minTrackedOps = 10_000

// ops maps the keys of recent operations to their first commits. It is read from the
// commits when a key is first looked up.
type ops struct {
	first bound.Map[string, uint64] // Size is 0 until it is read
}

func (o *ops) add(op string, seq uint64) {
	if _, known := o.first.Peek(op); !known && o.first.Size > 0 {
		o.first.Set(op, seq)
	}
}

// read lists the newest operations of a store whose newest commit is head. It costs a read
// for each of their commits and decodes no change.
func (o *ops) read(ctx context.Context, from store.Store, head uint64) error {
	first := map[string]uint64{}
	var newest []string
	err := from.Commits(ctx, store.Span{From: 1, To: head, Backward: true}, func(r store.Record) error {
		seq, op, err := graph.CommitOp(r.Data)
		if err != nil {
			return err
		}
		if _, known := first[op]; !known {
			if len(newest) == minTrackedOps {
				return ErrStop
			}
			newest = append(newest, op)
		}
		first[op] = seq
		return nil
	})
	if err != nil && !errors.Is(err, ErrStop) {
		return err
	}
	o.first.Size = minTrackedOps
	for _, op := range slices.Backward(newest) {
		o.first.Set(op, first[op])
	}
	return nil
}

// FirstOf returns the first commit of an operation by its key, nil if none of the recent
// operations had it.
func (tx *Tx) FirstOf(ctx context.Context, op string) (*graph.Commit, error) {
	if tx.ops.first.Size == 0 {
		if err := tx.ops.read(ctx, tx.c.Store(), tx.c.Head().Commit.Seq); err != nil {
			return nil, err
		}
	}
	seq, known := tx.ops.first.Peek(op)
	if !known {
		return nil, nil
	}
	return tx.c.Commit(ctx, seq)
}
