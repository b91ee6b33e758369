// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"github.com/fovea-memory/fovea/internal/store"
)

// open reads the folder and makes it writable, unless it is damaged, of a newer version or opened for reading.
func (s *Store) open(o *opening) error {
	format, bad, err := checkFormat(s.in, s.opts.Memex)
	if err == nil && bad == nil {
		bad, err = lostJournal(s.in)
	}
	if err != nil {
		return err
	}
	o.found.Corrupt = bad
	if err := o.read(s.files.packs); err != nil {
		return err
	}
	var why error // the store is read-only
	switch {
	case o.found.Corrupt != nil:
		why = o.found.Corrupt
	case format.minor > formatMinor:
		why = unknownFormat(format.major, format.minor)
	default:
		why = s.opts.ReadOnly
	}
	if why != nil {
		o.found.TornBytes, o.found.TornBatches = 0, 0
		o.giveTo(s)
		_ = s.cond.readOnly(why)
		return nil
	}
	if err = makeFolders(s.in); err == nil {
		err = o.settle()
	}
	if err == nil {
		err = o.removeLeftovers()
	}
	if err != nil {
		return err
	}
	o.giveTo(s)
	if s.log.writer.tail, err = readTail(s.in, o.end); err != nil {
		return err
	}
	files, err := historyFiles(s.in)
	if err != nil {
		return err
	}
	return s.placed.hold(files, segmentName(o.end.Segment))
}

// giveTo gives the store what opening found.
func (o *opening) giveTo(s *Store) {
	packs := s.files.packs
	s.cond.recovery = o.found
	s.packing.generation = packs.Generation
	j := &s.log
	j.end, j.next, j.first = o.end, max(o.next, 1), o.first()
	if j.first == 0 {
		j.first = 1
		if len(o.segments) > 0 && packs.last() == 0 {
			j.first = o.segments[0]
		}
	}
	j.writer = writer{in: s.in, opts: &s.opts, placed: &s.placed, next: j.next, number: o.end.Segment, at: o.end.Offset}
	s.commits.before = packs.commits()
	if o.whole && o.found.Corrupt == nil {
		s.commits.at, s.commits.upTo, s.commits.next = o.commits, o.end, j.next
	}
	if o.head != nil {
		s.opened, s.head = *o.head, o.head.Head
	}
}

// read reads and judges the folder; it changes nothing.
func (o *opening) read(packs *packSet) (err error) {
	var badHead *store.Corruption
	if o.head, badHead, err = readHead(o.in); err != nil {
		return err
	}
	o.found.HeadDamaged = badHead != nil
	if o.segments, err = listSegments(o.in); err != nil {
		return err
	}
	if err := o.readPacks(packs); err != nil {
		return err
	}
	ends, err := imageEnds(o.in, 1)
	if err != nil {
		return err
	}
	if len(ends) > 0 {
		o.image = ends[0]
	}
	return o.readJournal()
}
