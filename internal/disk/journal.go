// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// journal appends to the newest segment. Batches that wait at the same time become one
// group; a group is written only after the one before is durable, in the order of the calls.
// It is safe for concurrent use.
type journal struct {
	opts   *Options
	cond   *condition
	placed *placement
	first  uint64 // number of the first segment, present or future

	// lead is held, by sending, by the goroutine that writes or closes; writer belongs to it.
	lead   chan struct{}
	writer writer

	mu      sync.Mutex
	queue   []*pending // waiting batches, oldest first
	writers int        // number of concurrent writers when the last group was synced
	end     store.Pos
	next    uint64 // number of the next batch
}

// position returns the end of the journal, and the number of the batch that comes next.
func (j *journal) position() (end store.Pos, next uint64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.end, j.next
}

// written returns the position of the writer. The caller leads.
func (j *journal) written() store.Pos {
	return store.Pos{Segment: j.writer.number, Offset: j.writer.at}
}

// append is Store.Append: it queues a batch and waits for its turn to lead. Another call may have written the
// batch by then. A batch whose context ends first is withdrawn.
func (j *journal) append(ctx context.Context, b *store.Batch) (store.Pos, error) {
	if err := b.Err(); err != nil {
		return store.Pos{}, err
	}
	p := &pending{Batch: b}
	err := ctx.Err()
	if err == nil {
		err = j.join(p)
	}
	if err == nil && b.Len() > 0 {
		select {
		case j.lead <- struct{}{}:
		case <-ctx.Done():
			if j.withdraw(p) {
				return store.Pos{}, doing(ctx.Err(), "append batch")
			}
			j.lead <- struct{}{}
		}
		for !p.done {
			j.writeGroup()
		}
		<-j.lead
		err = p.err
	}
	return p.end, doing(err, "append batch")
}

// sync is Store.Sync: it syncs what was written and checks that its name still leads to it.
func (j *journal) sync() error {
	j.lead <- struct{}{}
	defer func() { <-j.lead }()
	err := j.cond.writable()
	if err == nil && j.writer.late > 0 {
		if err = j.writer.sync(); err == nil {
			err = j.placed.check(j.written())
		}
		if err != nil {
			err = j.cond.readOnly(err)
		}
	}
	return doing(err, "sync journal")
}

// beginSegment closes the newest segment, so that what is appended from now on
// is in a later one, and returns the number of that.
func (j *journal) beginSegment() (uint64, error) {
	j.lead <- struct{}{}
	defer func() { <-j.lead }()
	w := &j.writer
	if err := j.cond.writable(); err != nil || w.at <= headerSize {
		return w.number, err
	}
	err := w.close(true)
	if err == nil {
		err = w.create(w.number + 1)
	}
	if err != nil {
		return 0, j.cond.readOnly(err)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.end = j.written()
	return w.number, nil
}

// tailSize is the number of bytes at the end of the journal that are kept to compare them with the file. They
// include at least one checksum.
const tailSize = 64

// tail is the end of the current segment as this store wrote or read it. An older copy of the segment that is
// written over it in place has the same preallocated length and zeros there: what is written after the zeros is
// lost at the next opening.
type tail struct {
	end   int64
	bytes []byte
}

// tailOf is the tail of a segment that ends with the bytes; it copies what it keeps.
func tailOf(end int64, written []byte) tail {
	return tail{end, slices.Clone(written[max(0, len(written)-tailSize):])}
}

// inPlace returns an error that wraps ErrReplaced unless the file has the tail. One system call.
func (t tail) inPlace(in vfs.File, name string) error {
	have := make([]byte, len(t.bytes))
	n, err := in.ReadAt(have, t.end-int64(len(have)))
	if n == len(have) && bytes.Equal(have, t.bytes) {
		return nil
	}
	if err != nil && n < len(have) {
		return fmt.Errorf("%s was %w: it ends before what was written last: %w", name, store.ErrReplaced, err)
	}
	return fmt.Errorf("%s was %w: what was written last is not in it", name, store.ErrReplaced)
}

// readTail returns the tail of the segment at a position; the zero position has none.
func readTail(in vfs.FS, end store.Pos) (tail, error) {
	if end.Segment == 0 {
		return tail{}, nil
	}
	seg, err := openSegment(in, end.Segment)
	if err != nil {
		return tail{}, err
	}
	b := make([]byte, min(end.Offset, tailSize))
	_, err = seg.file.ReadAt(b, end.Offset-int64(len(b)))
	return tail{end.Offset, b}, errors.Join(err, seg.close())
}
