// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"io"
	"slices"

	"github.com/fovea-memory/fovea/internal/store"
)

// walker reads the batches of a segment or a pack in order.
type walker struct {
	reader reader
	info   fileInfo // of a pack; of a segment the zero one
	at     int64    // where the next batch begins: after the last whole one
	next   uint64   // the next batch's number; 0 accepts any, and where no batch was read
	last   frame    // the last frame read; kind 0 before the first
	frames []frame  // of the batch being read
	given  int64    // offset of the record passed to fn

	groupStart int64 // where the group that at is in, or the last one, begins
	groupEnd   int64 // end of the last complete group
}

// lastGroup returns the last complete group, from its beginning to its end, and the number
// of the batch that follows it. The batches of a group that is not finished go with the
// rest of it.
func (w *walker) lastGroup() (start, end int64, next uint64) {
	if w.last.leavesGroup() {
		return w.groupEnd, w.groupEnd, w.last.group()
	}
	return w.groupStart, w.groupEnd, w.next
}

// each calls fn with the remaining records, batch by batch. It stops at the end of the file, or where only
// zeros follow a complete group. Bytes that are not a batch are a Corruption, and at stays where that batch
// begins; fn has not seen any record of it. The data of a record is valid until fn returns. An error of fn ends
// the walk and is returned as it is.
func (w *walker) each(fn func(r store.Record) error) error {
	for {
		if err := w.batch(fn); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// batch reads one batch. It returns io.EOF where the file ends.
func (w *walker) batch(fn func(r store.Record) error) error {
	w.reader.win.forget(w.at)
	end, last := w.at, w.last
	w.frames = w.frames[:0]
	for last.flags&flagBatchEnd == 0 || end == w.at {
		f, err := w.frame(end)
		inside := end > w.at
		if inside && w.info.First != 0 && (err == io.EOF || err == nil && f.Batch != last.Batch) {
			break // a batch in a pack ends where another one begins
		}
		switch {
		case err == io.EOF && (w.last.leavesGroup() || inside):
			err = w.reader.damage(end, "the group is not finished")
		case err == nil && !w.follows(f, last, inside):
			err = w.reader.damage(end, "a record out of order")
		}
		if err != nil {
			return err
		}
		end, last = f.end, f
		f.Data = nil // the bytes may move until the batch is whole
		w.frames = append(w.frames, f)
	}
	for _, f := range w.frames {
		if f.Kind == store.Pad {
			continue
		}
		data, err := w.reader.win.bytes(f.dataAt, int64(f.length))
		if err == nil {
			w.given, f.Data = f.at, data
			err = fn(f.Record)
		}
		if err != nil {
			return err
		}
	}
	if last.rank == 0 {
		w.groupStart = w.at
	}
	w.at, w.last, w.next = end, last, last.Batch+1
	if !last.leavesGroup() {
		w.groupEnd = end
	}
	return nil
}

// frame reads and verifies the frame at an offset. It returns io.EOF where the file ends.
func (w *walker) frame(at int64) (frame, error) {
	left := w.reader.win.end - at
	if left > 0 && w.info.First != 0 {
		return w.reader.next(at)
	}
	head, err := w.reader.win.bytes(at, min(left, frameHeaderSize))
	if err != nil {
		return frame{}, err
	}
	if zeros(head) {
		return frame{}, w.onlyZeros(at)
	}
	return w.reader.next(at)
}

// follows reports whether a frame may come after the last one; inside means that it must continue the same
// batch.
func (w *walker) follows(f, last frame, inside bool) bool {
	switch p := &w.info; {
	case p.First != 0:
		return f.Batch >= max(last.Batch, p.Batch) && f.Batch < p.Next && f.Pos.Segment <= p.Last && f.Pos.Compare(last.Pos) > 0
	case inside:
		return f.Batch == last.Batch && f.rank == last.rank
	case last.leavesGroup():
		return f.Batch == last.Batch+1 && f.rank == last.rank+1
	}
	return w.next == 0 || f.Batch == w.next && (f.rank == 0 || last.Kind != 0 && f.rank == last.rank+1)
}

// onlyZeros returns io.EOF when only zeros follow, else a Corruption.
func (w *walker) onlyZeros(from int64) error {
	last, err := lastByte(w.reader.win.file, from, w.reader.win.end)
	switch {
	case err != nil:
		return err
	case last > from:
		return w.reader.damage(from, "data after a gap")
	}
	return io.EOF
}

// lastByte returns the offset after the last byte between from and end that is not zero, at least from.
func lastByte(file io.ReaderAt, from, end int64) (int64, error) {
	for end > from {
		start := max(from, end-readAhead)
		chunk := make([]byte, end-start)
		if _, err := file.ReadAt(chunk, start); err != nil && err != io.EOF {
			return 0, err
		}
		for i, c := range slices.Backward(chunk) {
			if c != 0 {
				return start + int64(i) + 1, nil
			}
		}
		end = start
	}
	return from, nil
}

func zeros(b []byte) bool {
	return !slices.ContainsFunc(b, func(c byte) bool { return c != 0 })
}
