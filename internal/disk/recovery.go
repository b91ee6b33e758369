// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// opening is the state of one Open while it reads the journal. It writes nothing before it has judged the whole
// journal.
type opening struct {
	in       vfs.FS
	head     *cleanClose
	packs    *manifest
	segments []uint64  // those that are in no pack
	leftover []string  // files that a crash left, which are not current
	image    store.Pos // where the newest image ends, zero for none

	found      store.Recovery
	commits    []store.Pos // those of the segments that were read
	whole      bool        // all segments were read
	end        store.Pos   // of the last good group
	next       uint64      // number of the next batch
	groupStart int64       // where the last good group of end.Segment begins
	unmade     uint64      // a last segment whose creation was interrupted, or 0
	size       int64       // of end.Segment's file
}

// corrupt records damage; the first counts.
func (o *opening) corrupt(bad *store.Corruption) {
	o.found.Corrupt = cmp.Or(o.found.Corrupt, bad)
}

// readJournal scans from the segment of the newest image, or from the first one.
func (o *opening) readJournal() error {
	start, ok := slices.BinarySearch(o.segments, o.image.Segment)
	if !ok {
		start = 0
	}
	scan := o.segments[start:]
	o.whole = start == 0
	first := o.first()
	if last := o.packs.last(); last != 0 {
		// There is always a segment after the packs.
		first, o.end = last+1, store.Pos{Segment: last + 1, Offset: headerSize}
		if start == 0 {
			o.next = o.packs.tail().Next
		}
	}
	if first != 0 && len(o.segments) > 0 && o.segments[0] != first || len(o.segments) == 0 && o.packs.last() != 0 {
		o.corrupt(segmentDamage(first, 0, "the segment is missing"))
		if !ok {
			scan = nil
		}
	}
	for i, number := range scan {
		if i > 0 && number != scan[i-1]+1 {
			o.corrupt(segmentDamage(scan[i-1]+1, 0, "the segment is missing"))
			break
		}
		whole, err := o.readSegment(number, i == len(scan)-1)
		if err != nil {
			return err
		}
		if !whole {
			break
		}
	}
	ends := func(why string, at store.Pos) {
		o.corrupt(segmentDamage(max(o.end.Segment, 1), o.end.Offset, fmt.Sprintf("the journal ends here, and "+why, at)))
	}
	if o.head != nil && o.end.Compare(o.head.End) < 0 {
		ends("ended at %v when it was closed", o.head.End)
	}
	if o.end.Compare(o.image) < 0 {
		ends("an image has its state up to %v", o.image)
	}
	return nil
}

// first returns the number that the first segment must have, 0 if it is unknown.
func (o *opening) first() uint64 {
	switch {
	case o.head != nil && o.head.First != 0:
		return o.head.First
	case o.found.HeadDamaged:
		return 0
	}
	return 1
}

// readSegment scans one segment and reports whether what follows it can be
// read. Only the newest may have a torn tail: each segment was made after the
// sync of the last group in the one before.
func (o *opening) readSegment(number uint64, newest bool) (whole bool, err error) {
	seg, err := openSegment(o.in, number)
	if bad, ok := errors.AsType[*store.Corruption](err); ok {
		return false, o.badHeader(bad, newest)
	}
	if err != nil {
		return false, err
	}
	defer seg.close()
	size, err := seg.size()
	if err != nil {
		return false, err
	}
	if bad := seg.follows(o.next); bad != nil {
		o.corrupt(bad)
		return false, nil
	}
	from, next := o.begin(seg, size)
	walk := seg.walk(from, size, next)
	err = walk.each(o.note)
	bad, isDamage := errors.AsType[*store.Corruption](err)
	if err != nil && !isDamage {
		return false, err
	}
	start, end, following := walk.lastGroup()
	o.end, o.size, o.groupStart, o.next = store.Pos{Segment: number, Offset: end}, size, start, following
	for n := len(o.commits); n > 0 && o.commits[n-1].Compare(o.end) >= 0; n-- {
		o.commits = o.commits[:n-1]
	}
	switch {
	case !isDamage:
		return true, nil
	case !newest:
		o.corrupt(bad)
		return false, nil
	}
	return false, o.judge(seg, walk.next, bad)
}

// begin returns the offset from which to read a segment and the number of the batch there, 0 for any. If the
// segment ends where a clean close left it, the part that an image has is skipped: no write to it was
// interrupted.
func (o *opening) begin(seg *source, size int64) (from int64, next uint64) {
	end := store.Pos{Segment: seg.info.First, Offset: size}
	if o.head == nil || o.head.End != end || o.image.Segment != seg.info.First || o.image.Offset > size {
		return headerSize, seg.info.Batch
	}
	o.whole = false
	if o.image == end {
		return size, o.head.Next
	}
	return o.image.Offset, 0
}

// note records the positions of commits.
func (o *opening) note(r store.Record) error {
	if r.Kind == store.Commit {
		o.commits = append(o.commits, r.Pos)
	}
	return nil
}

// badHeader judges a segment without a valid header. The header was synced before anything was written after
// it, so a longer file once had a valid one.
func (o *opening) badHeader(bad *store.Corruption, newest bool) error {
	info, err := o.in.Lstat(bad.File)
	if err != nil {
		return err
	}
	if !newest || info.Size() > headerSize || !info.Mode().IsRegular() || bad.Segment == o.packs.last()+1 && o.packs.last() != 0 {
		o.corrupt(bad)
		return nil
	}
	o.unmade = bad.Segment
	return nil
}

// judge distinguishes a torn tail from corruption: a frame of a later group proves that the damaged group was
// synced. The damaged batch is next, so later groups have greater numbers.
func (o *opening) judge(seg *source, next uint64, bad *store.Corruption) error {
	torn := map[uint64]bool{}
	later := false
	err := seg.reader(o.end.Offset, o.size).scan(func(f frame) bool {
		later = f.group() > next
		torn[f.Batch] = true
		return !later
	})
	if err != nil {
		return err
	}
	if later {
		o.corrupt(bad)
		return nil
	}
	last, err := lastByte(seg.file, o.end.Offset, o.size)
	if err != nil {
		return err
	}
	o.found.TornBytes = last - o.end.Offset
	o.found.TornBatches = max(len(torn), 1)
	return nil
}

// settle makes what Open found durable before anything is appended to it, and cuts off the torn tail. After a
// clean close it writes nothing.
//
// It also writes the last group again. That group may be one whose sync failed
// in a process that ended: then it is readable, and the system neither has it
// on disk nor will write it, and a later group after it would turn a power cut
// into corruption.
func (o *opening) settle() error {
	if o.unmade != 0 {
		if err := o.in.Remove(segmentName(o.unmade)); err != nil {
			return err
		}
	}
	if o.head != nil && o.head.End == o.end && o.unmade == 0 && (o.size == o.end.Offset || o.end == store.Pos{}) {
		return nil
	}
	if o.end.Segment != 0 {
		if err := o.rewriteTail(); err != nil {
			return err
		}
	}
	return errors.Join(o.in.SyncDir(store.JournalFolder), o.in.SyncDir("."))
}

// rewriteTail cuts the last segment after the last group and writes that group again, with the segment's header
// if it is the first.
func (o *opening) rewriteTail() (err error) {
	file, err := o.in.OpenFile(segmentName(o.end.Segment), os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if err := file.Truncate(o.end.Offset); err != nil {
		return err
	}
	start := o.groupStart
	if start <= headerSize {
		start = 0
	}
	group := make([]byte, o.end.Offset-start)
	if _, err := file.ReadAt(group, start); err != nil && err != io.EOF {
		return err
	}
	if _, err := file.WriteAt(group, start); err != nil {
		return err
	}
	return file.Sync()
}

// makeFolders creates the missing folders of a state folder, which settle makes durable, and removes the
// temporary files of a crash. FORMAT is made durable first: a process may have ended before it synced it.
func makeFolders(in vfs.FS) error {
	if _, err := in.Stat(store.JournalFolder); errors.Is(err, fs.ErrNotExist) {
		if err := in.SyncDir("."); err != nil {
			return err
		}
	}
	for _, name := range []string{store.JournalFolder, store.ImageFolder, store.PackFolder, store.Quarantine} {
		err := in.MkdirAll(name, folderPerm)
		if name == store.Quarantine && errors.Is(err, vfs.ErrNotFolder) {
			continue // it has no history; putting a file aside returns the error
		}
		if err != nil {
			return err
		}
	}
	for _, name := range []string{".", store.ImageFolder, store.PackFolder} {
		if err := vfs.RemoveTemps(in, name); err != nil {
			return err
		}
	}
	return nil
}
