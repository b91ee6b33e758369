// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package graph

import (
	"errors"

	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
)

// Record is a change as a commit stores it: digests and places, no content. The children
// of an added or removed node are in its entry. Those of any other node are in neither
// entry: Kids is their difference, so that the size of a record is that of the change and
// not of the node. After and Before return complete entries.
type Record struct {
	ID       string
	Old, New *node.Entry // nil: not there
	Kids     KidsEdit
}

// Records returns a delta as a commit stores it. Entries of added and removed nodes are
// shared with the nodes.
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
			old, now := c.Old.Entry, c.New.Entry
			r.Kids = DiffKids(old.Kids, now.Kids)
			old.Kids, now.Kids = nil, nil
			r.Old, r.New = &old, &now
		}
	}
	return out
}

// After returns the node's entry after the change, given that before: nil for an absent
// node. Errors: ErrDelta if the record does not fit. The entry may be the record's own.
func (r *Record) After(was *node.Entry) (*node.Entry, error) {
	return turn(was, r.Old, r.New, r.Kids.Apply)
}

// Before returns the node's entry before the change, given that after. As After.
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

// appendEntry appends the entry of an added or removed node, null for none.
func appendEntry(b []byte, e *node.Entry) []byte {
	if e == nil {
		return merkle.AppendNull(b)
	}
	return merkle.AppendInt(appendTexts(appendFacts(b, e), e.Kids), e.Modified)
}

// appendFacts appends an entry without its children.
func appendFacts(b []byte, e *node.Entry) []byte {
	b = merkle.AppendList(b, 6)
	b = merkle.AppendLink(b, e.Own)
	b = merkle.AppendLink(b, e.Version)
	b = merkle.AppendText(b, e.Parent)
	return merkle.AppendBytes(b, e.Path)
}

func decodeRecords(b []byte) ([]Record, error) {
	r := merkle.NewReader(b)
	n := r.List()
	out := make([]Record, 0, min(n, len(b)/8))
	for range n {
		var rec Record
		if err := rec.read(r); err != nil {
			return nil, err
		}
		if r.Err() != nil {
			break
		}
		out = append(out, rec)
	}
	return out, r.Done()
}

// errChildren is returned for a record with children in the wrong place: in the entry of a
// changed node, or outside that of an added or removed one.
var errChildren = errors.New("the children of a node that stays stand in no entry, those of others do")

// read decodes the record; the reader checks that the bytes are canonical.
func (r *Record) read(in *merkle.Reader) (err error) {
	in.FixedList(3)
	r.ID = in.Text()
	whole := true
	if r.Old = readFacts(in); r.Old != nil {
		if whole = in.Peek() != merkle.KindNull; whole {
			r.Old.Kids = readTexts(in)
		} else {
			in.Null()
		}
		r.Old.Modified = in.Int()
	}
	r.New = readFacts(in)
	switch {
	case (r.New == nil || r.Old == nil) != whole:
		return errChildren
	case r.New == nil:
		return nil
	case whole:
		r.New.Kids = readTexts(in)
	default:
		r.Kids, err = readKidsEdit(in)
	}
	r.New.Modified = in.Int()
	return err
}

// readFacts decodes an entry without its children, nil for none.
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
