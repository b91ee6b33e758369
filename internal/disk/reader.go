// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"cmp"
	"encoding/binary"
	"io"
	"slices"

	"github.com/fovea-memory/fovea/internal/store"
)

// readAhead is the minimum number of bytes read at once from a file that is read in order.
const readAhead = 256 << 10

// window reads a file forwards and buffers the bytes from an offset on.
type window struct {
	file io.ReaderAt
	end  int64 // of the part of the file that may be read
	base int64 // offset of buf
	buf  []byte

	ahead int64 // minimum number of bytes to read at once; 0 means readAhead
}

// bytes returns n bytes at an offset, which must end by w.end and not begin before a forgotten offset. They are
// valid until forget.
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
	return w.buf[at-w.base:][:n:n], nil
}

// forget drops the bytes before an offset. It moves the rest only if that is small, so that reading n bytes
// takes O(n).
func (w *window) forget(at int64) {
	skip := min(at-w.base, int64(len(w.buf)))
	if left := int64(len(w.buf)) - skip; left > readAhead/4 && left > skip {
		return
	}
	w.buf = append(w.buf[:0], w.buf[skip:]...)
	w.base += skip
}

// reader reads the frames of a segment or of a pack. It is for one goroutine.
type reader struct {
	layout
	win window
}

// next reads and verifies the frame at an offset. It returns a Corruption if the bytes are not a frame. The
// data is valid as long as the window's bytes.
func (r *reader) next(at int64) (frame, error) {
	f, wrong, err := r.try(at)
	if wrong != "" {
		err = r.damage(at, wrong)
	}
	return f, err
}

// try is next with the defect of the bytes as a text, "" for none.
func (r *reader) try(at int64) (f frame, wrong string, err error) {
	const short = "a record is cut short"
	size := r.headerSize()
	if r.win.end-at < size {
		return f, short, nil
	}
	head, err := r.win.bytes(at, size)
	if err != nil {
		return f, "", err
	}
	f, ok := r.decode(head, at)
	switch {
	case !ok:
		return f, "not a record", nil
	case f.end > r.win.end:
		return f, short, nil
	}
	whole, err := r.win.bytes(at, f.end-at)
	if err != nil {
		return f, "", err
	}
	if r.check(at, whole) != binary.LittleEndian.Uint32(whole[size-4:]) {
		return f, "checksum mismatch", nil
	}
	f.Data = whole[size:][:f.length:f.length]
	return f, "", nil
}

// recordAhead is the number of bytes read for one record; a larger one takes a second read.
const recordAhead = 4 << 10

// record reads the one record at an offset, which the caller owns.
func (r *reader) record(at int64) (store.Record, error) {
	r.win.ahead = recordAhead
	f, err := r.next(at)
	if err == io.ErrUnexpectedEOF {
		err = r.damage(at, "the file ends within a record")
	}
	return f.Record, err
}

// scan calls fn for each whole frame, in whatever order they are, until it returns false. It judges damage and
// finds records after it: it moves by frames, and by store.Align bytes where there is none. The data is valid
// until fn returns. Errors: those of the file.
func (r *reader) scan(fn func(f frame) (more bool)) error {
	for at := r.win.base; at+r.headerSize() <= r.win.end; {
		r.win.forget(at)
		f, wrong, err := r.try(at)
		switch {
		case err != nil:
			return err
		case wrong != "":
			at += store.Align
		case !fn(f):
			return nil
		default:
			at = f.end
		}
	}
	return nil
}
