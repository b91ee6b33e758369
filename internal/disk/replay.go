// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"cmp"

	"github.com/fovea-memory/fovea/internal/store"
)

// reading passes the records of a part of the history to fn, in order, from packs and segments. Damage makes
// the store read-only.
type reading struct {
	files  *files
	from   store.Pos // start of the unread part
	end    store.Pos
	next   uint64 // number of the first batch of the next segment, 0 if unknown
	fn     func(store.Record) error
	failed error // of fn
}

// run reads all of it. After an error the next call continues after the file that has it.
func (r *reading) run() error {
	for r.from.Compare(r.end) < 0 {
		last := r.from.Segment
		src, err := r.files.place(last)
		if err == nil {
			last, err = src.info.Last, r.read(src)
			r.files.release(src)
		}
		r.from = store.Pos{Segment: last + 1, Offset: headerSize}
		if err != nil {
			r.next = 0
			return err
		}
	}
	return nil
}

// read reads the records of one file from the position on. An error of fn is returned as it is.
func (r *reading) read(src *source) error {
	if src.bad != nil {
		return r.files.cond.corrupt(src.bad)
	}
	limit, err := src.end(r.end)
	if err != nil {
		return err
	}
	from := r.from.Offset
	switch {
	case src.packed():
		from = headerSize
	case from < headerSize || from > limit:
		return r.files.cond.corrupt(src.layout.damage(limit, "the segment ends before the position to replay from"))
	case from == headerSize:
		if bad := src.follows(r.next); bad != nil {
			return r.files.cond.corrupt(bad)
		}
		r.next = src.info.Batch
	}
	walk := src.walk(from, limit, r.next)
	err = walk.each(func(record store.Record) error {
		if record.Pos.Compare(r.from) >= 0 && record.Pos.Compare(r.end) < 0 {
			r.failed = r.fn(record)
		}
		return r.failed
	})
	r.next = cmp.Or(src.info.Next, walk.next)
	if err == nil && !src.packed() && src.info.Last == r.end.Segment && walk.at != r.end.Offset {
		err = src.layout.damage(walk.at, "the journal ends here, before what was acknowledged")
	}
	if r.failed != nil {
		return r.failed
	}
	return r.files.cond.report(err)
}
