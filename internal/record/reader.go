// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package record

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

// Reader reads the frames of a segment or of a pack. It is for one goroutine.
type Reader struct {
	layout
	win window
}

// newReader reads a file from an offset, and no further than end.
func newReader(l layout, file io.ReaderAt, from, end int64) Reader {
	return Reader{l, window{file: file, end: end, base: from}}
}

// frame reads and verifies the frame at an offset. It returns a Corruption when the bytes
// are none. The data is valid as long as the window's bytes.
func (r *Reader) frame(at int64) (Frame, []byte, error) {
	f, data, wrong, err := r.try(at)
	if wrong != "" {
		err = r.Damage(at, wrong)
	}
	return f, data, err
}

// try is frame that says what is wrong with the bytes, "" for nothing.
func (r *Reader) try(at int64) (f Frame, data []byte, wrong string, err error) {
	const short = "a record is cut short"
	size := r.headerSize()
	if r.win.end-at < size {
		return f, nil, short, nil
	}
	head, err := r.win.bytes(at, size)
	if err != nil {
		return f, nil, "", err
	}
	f, ok := r.decode(head, at)
	switch {
	case !ok:
		return f, nil, "not a record", nil
	case f.End > r.win.end:
		return f, nil, short, nil
	}
	whole, err := r.win.bytes(at, f.End-at)
	if err != nil {
		return f, nil, "", err
	}
	if r.check(at, whole) != binary.LittleEndian.Uint32(whole[size-4:]) {
		return f, nil, "checksum mismatch", nil
	}
	return f, whole[size:][:f.Length:f.Length], "", nil
}

// recordAhead is how much is read for one record; a larger one takes a second read.
const recordAhead = 4 << 10

// record reads the one record at an offset, which the caller owns.
func (r *Reader) record(at int64) (store.Record, error) {
	r.win.ahead = recordAhead
	f, data, err := r.frame(at)
	return f.Record(data), err
}

// Scan calls fn for each whole frame, whatever order they are in, until it returns false.
// It is how damage is judged, and how records behind damage are found. It moves by frames
// where there are some and by FrameAlign bytes where there are none. The data is valid
// until fn returns. Errors: those of the file.
func (r *Reader) Scan(fn func(f Frame, data []byte) (more bool)) error {
	for at := r.win.base; at+r.headerSize() <= r.win.end; {
		r.win.forget(at)
		f, data, wrong, err := r.try(at)
		switch {
		case err != nil:
			return err
		case wrong != "":
			at += FrameAlign
		case !fn(f, data):
			return nil
		default:
			at = f.End
		}
	}
	return nil
}

// hand calls fn with the records between two offsets, which were verified and are still in
// the window, and with where each stands.
func (r *Reader) hand(from, end int64, fn func(at int64, r store.Record) error) error {
	size := r.headerSize()
	for at := from; at < end; {
		head, err := r.win.bytes(at, size)
		if err != nil {
			return err
		}
		f, _ := r.decode(head, at)
		whole, err := r.win.bytes(at, f.End-at)
		if err == nil && f.Kind != store.Pad {
			err = fn(at, f.Record(whole[size:][:f.Length:f.Length]))
		}
		if err != nil {
			return err
		}
		at = f.End
	}
	return nil
}
