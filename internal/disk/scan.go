// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"cmp"
	"encoding/binary"
	"io"
	"slices"

	"github.com/fovea-memory/fovea/internal/store"
)

// readAhead is how much is read at once at least where a file is read in order.
const readAhead = 256 << 10

// window reads a file forwards and keeps the bytes from a place on.
type window struct {
	file io.ReaderAt
	end  int64 // of the part of the file that may be read
	base int64 // offset of buf
	buf  []byte

	ahead int64 // how much is read at once at least; 0 stands for readAhead
}

// bytes returns the n bytes at an offset, which with n must not pass w.end and
// must not lie before what was forgotten. They are valid until forget.
func (w *window) bytes(at int64, n int64) ([]byte, error) {
	if missing := at + n - (w.base + int64(len(w.buf))); missing > 0 {
		have := len(w.buf)
		more := min(max(missing, cmp.Or(w.ahead, readAhead)), w.end-w.base-int64(have))
		room := min(max(more, int64(have)), w.end-w.base-int64(have)) // twice as much: a large batch is seldom copied
		w.buf = slices.Grow(w.buf, int(room))[:int64(have)+more]
		got, err := w.file.ReadAt(w.buf[have:], w.base+int64(have))
		if err != nil && !(err == io.EOF && int64(got) == more) {
			w.buf = w.buf[:have]
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return nil, err
		}
	}
	return w.buf[at-w.base:][:n], nil
}

// forget gives up the bytes before an offset. It moves what is left only when
// that is little, so that reading n bytes takes O(n).
func (w *window) forget(at int64) {
	skip := min(at-w.base, int64(len(w.buf)))
	if left := int64(len(w.buf)) - skip; left > readAhead/4 && left > skip {
		return
	}
	w.buf = append(w.buf[:0], w.buf[skip:]...)
	w.base += skip
}

// reader reads the records of a segment or of a pack.
type reader struct {
	frames
	win window
}

// newReader reads a file from an offset, and no further than end.
func newReader(l frames, file io.ReaderAt, from, end int64) reader {
	return reader{l, window{file: file, end: end, base: from}}
}

// corruption says that the bytes at an offset are no record, or one in the wrong place.
// Whether it is a torn tail or acknowledged data depends on what follows.
func (r *reader) corruption(at int64, reason string) *store.Corruption {
	return &store.Corruption{File: r.name, Segment: r.segment, Offset: at, Reason: reason}
}

// frame reads and verifies the frame at an offset. It returns a Corruption when the bytes
// are none. The data is valid as long as the window's bytes.
func (r *reader) frame(at int64) (frame, []byte, error) {
	f, data, wrong, err := r.try(at)
	if wrong != "" {
		err = r.corruption(at, wrong)
	}
	return f, data, err
}

// try is frame that says what is wrong with the bytes, "" for nothing.
func (r *reader) try(at int64) (f frame, data []byte, wrong string, err error) {
	left := r.win.end - at
	if left < r.headerSize() {
		return frame{}, nil, "a record is cut short", nil
	}
	head, err := r.win.bytes(at, r.headerSize())
	if err != nil {
		return frame{}, nil, "", err
	}
	f, ok := r.decode(head, at)
	switch {
	case !ok:
		return f, nil, "not a record", nil
	case f.size > left:
		return f, nil, "a record is cut short", nil
	}
	whole, err := r.win.bytes(at, f.size)
	if err != nil {
		return f, nil, "", err
	}
	if r.check(at, whole) != binary.LittleEndian.Uint32(whole[f.header-4:]) {
		return f, nil, "checksum mismatch", nil
	}
	return f, f.data(whole), "", nil
}

// data returns the data in a whole frame.
func (f frame) data(whole []byte) []byte { return whole[f.header:][:f.length:f.length] }

// recordAhead is how much is read for one record; a larger one takes a second read.
const recordAhead = 4 << 10

// record reads the one record at an offset, which the caller owns.
func (r *reader) record(at int64) (store.Record, error) {
	r.win.ahead = recordAhead
	f, data, err := r.frame(at)
	return f.record(data), err
}

// scan calls fn for each whole frame, whatever order they are in. It is how damage is
// judged, and how records behind damage are found. It moves by frames where there are
// some and by frameAlign bytes where there are none.
func (r *reader) scan(fn func(f frame, data []byte) (more bool)) error {
	for at := r.win.base; at+r.headerSize() <= r.win.end; {
		r.win.forget(at)
		f, data, wrong, err := r.try(at)
		switch {
		case err != nil:
			return err
		case wrong != "":
			at += frameAlign
		case !fn(f, data):
			return nil
		default:
			at += f.size
		}
	}
	return nil
}

// walker reads the batches of a segment or of a pack in order.
type walker struct {
	reader
	pack *pack  // nil for a segment
	at   int64  // where the next batch begins
	next uint64 // the next batch's number; 0 accepts any
	last frame  // the last frame read; kind 0 before the first

	groupStart int64 // where the group that at is in, or the last one, begins
	groupEnd   int64 // behind the last complete group
}

// walkSegment starts at an offset; it reads no further than end. A walk that
// starts at a batch inside a group accepts the rest of that group.
func walkSegment(seg *segment, from, end int64, next uint64) *walker {
	return &walker{reader: seg.reader(from, end), at: from, next: next, groupStart: from, groupEnd: from}
}

// walkPack reads all records of a pack.
func walkPack(p *pack) *walker {
	return &walker{reader: p.reader(packHeaderSize), pack: p, at: packHeaderSize, last: frame{batch: p.batch}}
}

// each calls fn with the rest of the records, batch by batch.
func (w *walker) each(fn func(at int64, r store.Record) error) error {
	for {
		if err := w.batch(fn); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// inGroup reports whether the last frame left its group unfinished.
func (w *walker) inGroup() bool {
	return w.pack == nil && w.last.kind != 0 && w.last.flags&flagGroupEnd == 0
}

// batch reads one batch and calls fn with its records in order, and with the offsets they
// stand at. It returns io.EOF where the file ends: at the end, or where nothing but zeros
// follows a complete group. Bytes that are no batch are a Corruption, after which w.at is
// still where the batch began; no record of it was handed out. The data of the records is
// valid until the next call.
func (w *walker) batch(fn func(at int64, r store.Record) error) error {
	w.win.forget(w.at)
	end, last, first := w.at, w.last, frame{}
	for last.flags&flagBatchEnd == 0 || end == w.at {
		f, err := w.following(end)
		switch {
		case err == io.EOF && w.pack == nil && (w.inGroup() || end > w.at):
			err = w.corruption(end, "the group is not finished")
		case w.pack != nil && end > w.at && (err == io.EOF || err == nil && f.batch != last.batch):
			return w.hand(end, last, first, fn)
		}
		if err == nil && !w.follows(f, last, end > w.at) {
			err = w.corruption(end, "a record out of order")
		}
		if err != nil {
			return err
		}
		if end == w.at {
			first = f
		}
		end, last = end+f.size, f
	}
	return w.hand(end, last, first, fn)
}

// hand gives out the verified records between w.at and end, the first and the last of a
// batch, and goes on behind them.
func (w *walker) hand(end int64, last, first frame, fn func(at int64, r store.Record) error) error {
	for at := w.at; at < end && fn != nil; {
		head, err := w.win.bytes(at, w.headerSize())
		if err != nil {
			return err
		}
		f, _ := w.decode(head, at)
		whole, err := w.win.bytes(at, f.size)
		if err == nil && f.kind != store.Pad {
			err = fn(at, f.record(f.data(whole)))
		}
		if err != nil {
			return err
		}
		at += f.size
	}
	if first.rank == 0 {
		w.groupStart = w.at
	}
	w.at, w.last, w.next = end, last, last.batch+1
	if !w.inGroup() {
		w.groupEnd = end
	}
	return nil
}

// following reads and verifies the frame at an offset. It returns io.EOF where the file
// ends.
func (w *walker) following(at int64) (frame, error) {
	if w.pack != nil {
		if at == w.win.end {
			return frame{}, io.EOF
		}
	} else if head, err := w.win.bytes(at, min(w.win.end-at, frameHeaderSize)); err != nil {
		return frame{}, err
	} else if zeros(head) {
		return frame{}, w.onlyZeros(at)
	}
	f, _, err := w.frame(at)
	return f, err
}

// follows reports whether a frame may stand behind the last one; inside says that it must
// go on the same batch.
func (w *walker) follows(f, last frame, inside bool) bool {
	inGroup := last.kind != 0 && last.flags&flagGroupEnd == 0
	switch {
	case w.pack != nil:
		return f.batch >= last.batch && f.batch < w.pack.next && f.pos.Segment <= w.pack.last && f.pos.Compare(last.pos) > 0
	case inside:
		return f.batch == last.batch && f.rank == last.rank
	case inGroup:
		return f.batch == last.batch+1 && f.rank == last.rank+1
	}
	return w.next == 0 || f.batch == w.next && (f.rank == 0 || last.kind != 0 && f.rank == last.rank+1)
}

// onlyZeros returns io.EOF when only zeros follow, else a Corruption.
func (r *reader) onlyZeros(from int64) error {
	for at := from; at < r.win.end; {
		n := min(r.win.end-at, readAhead)
		chunk := make([]byte, n)
		if _, err := r.win.file.ReadAt(chunk, at); err != nil && err != io.EOF {
			return err
		}
		if !zeros(chunk) {
			return r.corruption(from, "data behind a gap")
		}
		at += n
	}
	return io.EOF
}

func zeros(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}
