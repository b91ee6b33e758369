// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"cmp"
	"errors"
	"io/fs"
	"os"

	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// Preallocation: how many bytes a segment is extended by ahead of the data. It
// begins small, so that one commit costs little, and doubles, so that a sync
// seldom has to save a new size as well.
const (
	firstExtension = 64 << 10
	lastExtension  = 4 << 20
)

// zeroPage is what segments are extended with.
var zeroPage [64 << 10]byte

// writer appends groups to the newest segment. It is used by the goroutine that
// leads, one at a time.
type writer struct {
	in     vfs.FS
	opts   *Options
	placed *placement

	next   uint64 // number of the next batch
	number uint64 // number of the current segment, 0 before the first
	at     int64  // offset of the next group
	tail   tail   // the bytes before at

	file      vfs.File // nil before the first write after Open
	segment   *source
	size      int64 // of the file
	extension int64
	buf       []byte

	late      int   // batches written since the last sync
	lateBytes int64 // their size
}

// write makes a group durable, or only writes it if all of it is deferred, and sets the end of each batch. It
// compares the end of the segment before and after, so that an overwritten group does not count. After an error
// the writer is not used again.
func (w *writer) write(group []*pending) error {
	size, deferred := int64(0), true
	for _, b := range group {
		size += b.Size()
		deferred = deferred && b.IsDeferred()
	}
	if err := w.prepare(size); err != nil {
		return err
	}
	name, before := segmentName(w.number), w.tail
	if err := before.inPlace(w.file, name); err != nil {
		return err
	}
	if w.late+len(group) > maxGroup || w.lateBytes+size > maxGroupSize {
		if err := w.sync(); err != nil {
			return err
		}
	}
	sealed := w.seal(group)
	if _, err := w.file.WriteAt(sealed, w.at); err != nil {
		return err
	}
	if err := w.extend(w.at + size); err != nil {
		return err
	}
	w.at += size
	w.tail = tailOf(w.at, sealed)
	w.next += uint64(len(group))
	w.late += len(group)
	w.lateBytes += size
	if !deferred {
		if err := w.sync(); err != nil {
			return err
		}
	}
	return cmp.Or(before.inPlace(w.file, name), w.tail.inPlace(w.file, name))
}

// seal completes the batches of a group and returns their bytes, concatenated.
func (w *writer) seal(group []*pending) []byte {
	buf := group[0].Bytes()
	if len(group) > 1 {
		buf = w.buf[:0]
		for _, b := range group {
			buf = append(buf, b.Bytes()...)
		}
		w.buf = buf
	}
	at := int64(0)
	for i, b := range group {
		w.segment.layout.sealBatch(buf[at:][:b.Size()], w.at+at, w.next+uint64(i), w.late+i, i == len(group)-1)
		at += b.Size()
		b.end = store.Pos{Segment: w.number, Offset: w.at + at}
	}
	return buf
}

// sync makes durable what was written since the last sync.
func (w *writer) sync() error {
	if w.late == 0 {
		return nil
	}
	w.late, w.lateBytes = 0, 0
	return w.file.SyncData()
}

// capacity returns the maximum size of a segment.
func (w *writer) capacity(number uint64) int64 {
	size := w.opts.SegmentMin
	for range min(number-1, 62) {
		if size >= w.opts.SegmentMax/2 {
			return w.opts.SegmentMax
		}
		size *= 2
	}
	return size
}

// prepare opens the segment for size more bytes, a new one if they do not fit into the last. A segment is
// durable with its name before it gets a group, and so is the one before, so that damage in it is never taken
// for a torn tail.
func (w *writer) prepare(size int64) error {
	fits := w.number != 0 && (w.at == headerSize || w.at+size <= w.capacity(w.number))
	if fits {
		return w.reopen()
	}
	if err := w.close(true); err != nil {
		return err
	}
	return w.create(w.number + 1)
}

// reopen opens the newest segment after Open, if it is not open yet.
func (w *writer) reopen() error {
	if w.file != nil {
		return nil
	}
	seg, err := openSegment(w.in, w.number)
	if err != nil {
		return err
	}
	size, err := seg.size()
	if err = errors.Join(err, seg.close()); err != nil {
		return err
	}
	w.file, err = w.in.OpenFile(segmentName(w.number), os.O_RDWR, 0)
	w.segment, w.size, w.extension = seg, size, firstExtension
	return err
}

func (w *writer) create(number uint64) (err error) {
	seg, first, err := newSegment(number, w.next, w.opts.Rand)
	if err != nil {
		return err
	}
	file, err := w.in.OpenFile(segmentName(number), os.O_CREATE|os.O_EXCL|os.O_RDWR, filePerm)
	if err != nil {
		return err
	}
	_, err = file.WriteAt(first, 0)
	if err == nil {
		err = file.Sync()
	}
	if err == nil {
		err = w.in.SyncDir(store.JournalFolder)
	}
	var info fs.FileInfo
	if err == nil {
		info, err = file.Stat()
	}
	if err == nil {
		err = w.placed.grow(segmentName(number), info)
	}
	if err != nil {
		return errors.Join(err, file.Close())
	}
	w.segment, w.file, w.number, w.at = seg, file, number, headerSize
	w.tail = tailOf(headerSize, first)
	w.size, w.extension = headerSize, max(w.extension, firstExtension)
	return nil
}

// extend preallocates zeros after end if the file ends there. The sync of the group that ends there makes them
// durable too.
func (w *writer) extend(end int64) error {
	if end <= w.size {
		return nil
	}
	w.size = end
	goal := min(end+w.extension, max(w.capacity(w.number), end))
	w.extension = min(2*w.extension, lastExtension)
	for w.size < goal {
		n, err := w.file.WriteAt(zeroPage[:min(goal-w.size, int64(len(zeroPage)))], w.size)
		w.size += int64(n)
		if err != nil {
			return err
		}
	}
	return nil
}

// close closes the segment; trim cuts off what was preallocated first.
func (w *writer) close(trim bool) error {
	if w.file == nil {
		return nil
	}
	var err error
	if trim && w.size > w.at {
		err = w.file.Truncate(w.at)
	}
	if trim && err == nil && (w.size > w.at || w.late > 0) {
		err = w.file.Sync()
	}
	w.late, w.lateBytes = 0, 0
	err = errors.Join(err, w.file.Close())
	w.file = nil
	return err
}
