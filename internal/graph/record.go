// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package graph

import (
	"errors"

	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
)

// Record is a change as a commit keeps it: digests and places, no content. The
// children of a node that came or left stand in its entry. Those of one that stayed
// are in neither entry; Kids says what became of them, so that a record is as large as
// its change and not as its node. After and Before make whole entries.
type Record struct {
	ID       string
	Old, New *node.Entry // nil: not there
	Kids     KidsEdit
}

// Records returns a delta as a commit keeps it. Entries of what came or left are
// those of the nodes.
func (d *Delta) Records() []Record {
	out := make([]Record, len(d.Changes))
	for i, c := range d.Changes {
		r := &out[i]
		switch r.ID = c.ID; {
		case c.Old == nil:
			r.New = &c.New.Entry
		case c.New == nil:
			r.Old = &c.Old.Entry
		default:
			r.stay(c.Old.Entry, c.New.Entry)
		}
	}
	return out
}

// stay makes it the record of a node that is before and after.
func (r *Record) stay(old, now node.Entry) {
	r.Kids = DiffKids(old.Kids, now.Kids)
	old.Kids, now.Kids = nil, nil
	r.Old, r.New = &old, &now
}

// After returns what the node is after the change, given what it was: nil for one that
// is not there. It returns ErrDelta where it was something else than the record says.
// The entry may be the record's own.
func (r *Record) After(was *node.Entry) (*node.Entry, error) {
	return turn(was, r.Old, r.New, r.Kids.Apply)
}

// Before returns what the node was before the change, given what it is, as After does.
func (r *Record) Before(is *node.Entry) (*node.Entry, error) {
	return turn(is, r.New, r.Old, r.Kids.Undo)
}

func turn(have, from, to *node.Entry, kids func([]string) ([]string, error)) (*node.Entry, error) {
	if from == nil || to == nil || have == nil {
		if !have.Equal(from) {
			return nil, ErrDelta
		}
		return to, nil
	}
	alone, out := *have, *to
	if alone.Kids = nil; !alone.Equal(from) {
		return nil, ErrDelta
	}
	var err error
	out.Kids, err = kids(have.Kids)
	return &out, err
}

func encodeRecords(records []Record) []byte {
	const record, kid = 300, 40 // bytes, about
	size := len(records) * record
	for i := range records {
		for _, e := range []*node.Entry{records[i].Old, records[i].New} {
			if e != nil {
				size += len(e.Kids) * kid
			}
		}
	}
	b := merkle.AppendList(make([]byte, 0, size), len(records))
	for i := range records {
		r := &records[i]
		b = merkle.AppendText(merkle.AppendList(b, 3), r.ID)
		if r.Old != nil && r.New != nil {
			b = merkle.AppendNull(appendFacts(b, r.Old))
			b = merkle.AppendInt(b, r.Old.Modified)
			b = r.Kids.append(appendFacts(b, r.New))
			b = merkle.AppendInt(b, r.New.Modified)
			continue
		}
		b = appendEntry(appendEntry(b, r.Old), r.New)
	}
	return b
}

// appendEntry writes the entry of a node that came or left, null for none.
func appendEntry(b []byte, e *node.Entry) []byte {
	if e == nil {
		return merkle.AppendNull(b)
	}
	return merkle.AppendInt(appendTexts(appendFacts(b, e), e.Kids), e.Modified)
}

// appendFacts begins an entry: what stands before the children.
func appendFacts(b []byte, e *node.Entry) []byte {
	b = merkle.AppendList(b, 6)
	b = merkle.AppendLink(b, e.Own)
	b = merkle.AppendLink(b, e.Version)
	b = merkle.AppendText(b, e.Parent)
	return merkle.AppendBytes(b, e.Path)
}

func decodeRecords(b []byte, format uint64) ([]Record, error) {
	r := merkle.NewReader(b)
	n := r.List()
	out := make([]Record, 0, min(n, len(b)/8))
	for range n {
		var rec Record
		if err := rec.read(r, format); err != nil {
			return nil, err
		}
		if r.Err() != nil {
			break
		}
		out = append(out, rec)
	}
	return out, r.Done()
}

// errChildren is returned for a record whose node stayed and whose children stand in
// its entry, or the other way round.
var errChildren = errors.New("the children of a node that stays stand in no entry, those of others do")

// read reads the record; that the bytes are canonical shows in the reader.
func (r *Record) read(in *merkle.Reader, format uint64) (err error) {
	in.FixedList(3)
	r.ID = in.Text()
	whole := true
	if r.Old = readFacts(in); r.Old != nil {
		if whole = format == formatLists || in.Peek() != merkle.KindNull; whole {
			r.Old.Kids = readTexts(in)
		} else {
			in.Null()
		}
		r.Old.Modified = in.Int()
	}
	r.New = readFacts(in)
	if r.New == nil {
		if !whole {
			err = errChildren
		}
		return err
	}
	switch {
	case r.Old == nil:
		r.New.Kids = readTexts(in)
	case format == formatLists:
		r.Kids = readLists(in, r.Old)
	case whole:
		err = errChildren
	default:
		r.Kids, err = readKidsEdit(in)
	}
	r.New.Modified = in.Int()
	return err
}

// readLists reads the children that follow on those of an entry, null for the same,
// and takes the latter out of it.
func readLists(r *merkle.Reader, old *node.Entry) KidsEdit {
	was := old.Kids
	if old.Kids = nil; r.Peek() == merkle.KindNull {
		r.Null()
		return nil
	}
	return DiffKids(was, readTexts(r))
}

// readFacts reads an entry up to its children, nil for none.
func readFacts(r *merkle.Reader) *node.Entry {
	if r.Peek() == merkle.KindNull {
		r.Null()
		return nil
	}
	var e node.Entry
	r.FixedList(6)
	e.Own, e.Version = r.Link(), r.Link()
	e.Parent = r.Text()
	e.Path = string(r.Bytes())
	return &e
}
