// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"cmp"
	"errors"
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

// damage is the reason why the bytes at an offset are no journal. A walker
// returns it; whether it is a torn tail or corruption depends on what follows.
type damage struct {
	at     int64
	reason string
}

func (d *damage) Error() string { return d.reason }

// walker reads the batches of one segment in order.
type walker struct {
	seg  *segment
	win  window
	at   int64  // where the next batch begins
	next uint64 // the next batch's number; 0 accepts any
	last frame  // the last frame read; kind 0 before the first

	groupStart int64 // where the group that at is in, or the last one, begins
	groupEnd   int64 // behind the last complete group
}

// walkSegment starts at an offset; it reads no further than end. A walk that
// starts at a batch inside a group accepts the rest of that group.
func walkSegment(seg *segment, from, end int64, next uint64) *walker {
	return &walker{seg: seg, win: window{file: seg.file, end: end, base: from}, at: from, next: next, groupStart: from, groupEnd: from}
}

// inGroup reports whether the last frame left its group unfinished.
func (w *walker) inGroup() bool { return w.last.kind != 0 && w.last.flags&flagGroupEnd == 0 }

// batch reads one batch and calls fn with its records in order. It returns io.EOF
// where the journal ends: at the end, or where nothing but zeros follows a
// complete group. Bytes that are no batch are a *damage, after which w.at is
// still where the batch began; no record of it was handed out. The data of the
// records is valid until the next call.
func (w *walker) batch(fn func(store.Record) error) error {
	w.win.forget(w.at)
	at, started := w.at, w.inGroup()
	last, first := w.last, frame{}
	for {
		f, err := w.frame(at, last, at > w.at)
		if err == io.EOF && (started || at > w.at) {
			err = &damage{at: at, reason: "the group is not finished"}
		}
		if err != nil {
			return err
		}
		if at == w.at {
			first = f
		}
		at += f.size()
		last = f
		if f.flags&flagBatchEnd != 0 {
			break
		}
	}
	if fn != nil {
		if err := w.hand(at, fn); err != nil {
			return err
		}
	}
	if first.rank == 0 {
		w.groupStart = w.at
	}
	w.at, w.last, w.next = at, last, last.batch+1
	if !w.inGroup() {
		w.groupEnd = at
	}
	return nil
}

// hand gives out the verified records between w.at and end.
func (w *walker) hand(end int64, fn func(store.Record) error) error {
	for at := w.at; at < end; {
		head, err := w.win.bytes(at, frameHeaderSize)
		if err != nil {
			return err
		}
		f, _ := readFrame(head)
		whole, err := w.win.bytes(at, f.size())
		if err != nil {
			return err
		}
		if f.kind != store.Pad {
			data := whole[frameHeaderSize:][:f.length:f.length]
			if err := fn(store.Record{Kind: f.kind, Batch: f.batch, Pos: store.Pos{Segment: w.seg.number, Offset: at}, Data: data}); err != nil {
				return err
			}
		}
		at += f.size()
	}
	return nil
}

// frame reads and verifies the frame at an offset; inside says that it must go
// on the batch of last. It returns io.EOF when only zeros follow.
func (w *walker) frame(at int64, last frame, inside bool) (frame, error) {
	head, err := w.win.bytes(at, min(w.win.end-at, frameHeaderSize))
	if err != nil {
		return frame{}, err
	}
	if zeros(head) {
		return frame{}, onlyZeros(&w.win, at)
	}
	f, err := frameAt(&w.win, w.seg.salt, at)
	if err != nil {
		return f, err
	}
	inGroup := last.kind != 0 && last.flags&flagGroupEnd == 0
	follows := inside && f.batch == last.batch && f.rank == last.rank ||
		!inside && inGroup && f.batch == last.batch+1 && f.rank == last.rank+1 ||
		!inside && !inGroup && (w.next == 0 || f.batch == w.next && (f.rank == 0 || last.kind != 0 && f.rank == last.rank+1))
	if !follows {
		return f, &damage{at: at, reason: "a batch out of order"}
	}
	return f, nil
}

// frameAt reads and verifies a frame. It returns a *damage when the bytes are
// none.
func frameAt(win *window, salt [saltSize]byte, at int64) (frame, error) {
	left := win.end - at
	if left < frameHeaderSize {
		return frame{}, &damage{at: at, reason: "a frame is cut short"}
	}
	head, err := win.bytes(at, frameHeaderSize)
	if err != nil {
		return frame{}, err
	}
	f, ok := readFrame(head)
	if !ok {
		return f, &damage{at: at, reason: "not a frame"}
	}
	if f.size() > left {
		return f, &damage{at: at, reason: "a frame is cut short"}
	}
	whole, err := win.bytes(at, f.size())
	if err != nil {
		return f, err
	}
	if frameCheck(salt, at, whole) != f.check {
		return f, &damage{at: at, reason: "checksum mismatch"}
	}
	return f, nil
}

// onlyZeros returns io.EOF when only zeros follow, else a *damage.
func onlyZeros(win *window, from int64) error {
	for at := from; at < win.end; {
		n := min(win.end-at, readAhead)
		chunk := make([]byte, n)
		if _, err := win.file.ReadAt(chunk, at); err != nil && err != io.EOF {
			return err
		}
		if !zeros(chunk) {
			return &damage{at: from, reason: "data behind a gap"}
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

// behind looks at everything from an offset to the end of a segment for whole
// frames and calls fn for each, whatever order they are in. It is how damage is
// judged, and how blocks behind damage are found. It moves by frames where there
// are some and by frameAlign bytes where there are none.
func behind(seg *segment, from, end int64, fn func(f frame, at int64, data []byte) (more bool)) error {
	win := &window{file: seg.file, end: end, base: from}
	for at := from; at+frameHeaderSize <= end; {
		win.forget(at)
		f, err := frameAt(win, seg.salt, at)
		if _, bad := errors.AsType[*damage](err); bad {
			at += frameAlign
			continue
		}
		if err != nil {
			return err
		}
		whole, err := win.bytes(at, f.size())
		if err != nil {
			return err
		}
		if !fn(f, at, whole[frameHeaderSize:][:f.length]) {
			return nil
		}
		at += f.size()
	}
	return nil
}
