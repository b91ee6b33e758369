// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package record

import (
	"io"
	"slices"

	"github.com/fovea-memory/fovea/internal/store"
)

// Walker reads the batches of a segment in order.
type Walker struct {
	reader *Reader
	at     int64  // where the next batch begins
	next   uint64 // the next batch's number; 0 accepts any
	last   Frame  // the last frame read; kind 0 before the first

	groupStart int64 // where the group that at is in, or the last one, begins
	groupEnd   int64 // behind the last complete group
}

// Walk returns a walker that starts at an offset of the segment and reads no further than
// end. next is the number of the first batch, 0 for any. A walk that starts at a batch
// inside a group accepts the rest of that group.
func (s *Segment) Walk(from, end int64, next uint64) *Walker {
	return &Walker{reader: s.Reader(from, end), at: from, next: next, groupStart: from, groupEnd: from}
}

// At returns the offset of the next batch: behind the last one that was whole.
func (w *Walker) At() int64 { return w.at }

// Next returns the number of the next batch, 0 if no batch was read and any is accepted.
func (w *Walker) Next() uint64 { return w.next }

// LastGroup returns the last complete group, from its beginning to its end, and the number
// of the batch that follows it. The batches of a group that is not finished go with the
// rest of it.
func (w *Walker) LastGroup() (start, end int64, next uint64) {
	if w.inGroup(w.last) {
		return w.groupEnd, w.groupEnd, w.last.Group()
	}
	return w.groupStart, w.groupEnd, w.next
}

// inGroup reports whether a frame leaves its group unfinished.
func (w *Walker) inGroup(f Frame) bool { return f.Kind != 0 && f.flags&flagGroupEnd == 0 }

// Each calls fn with the rest of the records, batch by batch. It ends where the file ends:
// at the end, or where nothing but zeros follows a complete group. Bytes that are no batch
// are a Corruption, after which At is still where that batch began; no record of it was
// passed on. The data of a record is valid until fn returns. An error of fn ends the walk
// and is returned as it is.
func (w *Walker) Each(fn func(r store.Record) error) error {
	for {
		if err := w.batch(fn); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// batch reads one batch. It returns io.EOF where the file ends.
func (w *Walker) batch(fn func(r store.Record) error) error {
	w.reader.win.forget(w.at)
	end, last := w.at, w.last
	for last.flags&flagBatchEnd == 0 || end == w.at {
		f, err := w.frame(end)
		switch {
		case err == io.EOF && (w.inGroup(w.last) || end > w.at):
			err = w.reader.Damage(end, "the group is not finished")
		case err == nil && !w.follows(f, last, end > w.at):
			err = w.reader.Damage(end, "a record out of order")
		}
		if err != nil {
			return err
		}
		end, last = f.End, f
	}
	if err := w.reader.hand(w.at, end, func(_ int64, r store.Record) error { return fn(r) }); err != nil {
		return err
	}
	if last.rank == 0 {
		w.groupStart = w.at
	}
	w.at, w.last, w.next = end, last, last.Batch+1
	if !w.inGroup(last) {
		w.groupEnd = end
	}
	return nil
}

// frame reads and verifies the frame at an offset. It returns io.EOF where the file ends.
func (w *Walker) frame(at int64) (Frame, error) {
	head, err := w.reader.win.bytes(at, min(w.reader.win.end-at, frameHeaderSize))
	if err != nil {
		return Frame{}, err
	}
	if zeros(head) {
		return Frame{}, w.onlyZeros(at)
	}
	f, _, err := w.reader.frame(at)
	return f, err
}

// follows reports whether a frame may stand behind the last one; inside says that it must
// go on the same batch.
func (w *Walker) follows(f, last Frame, inside bool) bool {
	switch {
	case inside:
		return f.Batch == last.Batch && f.rank == last.rank
	case w.inGroup(last):
		return f.Batch == last.Batch+1 && f.rank == last.rank+1
	}
	return w.next == 0 || f.Batch == w.next && (f.rank == 0 || last.Kind != 0 && f.rank == last.rank+1)
}

// onlyZeros returns io.EOF when only zeros follow, else a Corruption.
func (w *Walker) onlyZeros(from int64) error {
	last, err := lastByte(w.reader.win.file, from, w.reader.win.end)
	switch {
	case err != nil:
		return err
	case last > from:
		return w.reader.Damage(from, "data behind a gap")
	}
	return io.EOF
}

// lastByte returns the offset behind the last byte between from and end that is
// not zero, at least from.
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
