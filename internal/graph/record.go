// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package graph

import (
	"errors"

	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
)

// Record is a change as a commit stores it: digests and places, no content. The entry of an added or removed
// node has its children. For any other node no entry has them: Kids is their difference, so that the size of a
// record is that of the change and not of the node. After and Before return complete entries.
type Record struct {
	ID       string
	Old, New *node.Entry // nil if the node does not exist
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

// errChildren is returned for a record with children in the wrong place: in the entry of a changed node, or
// outside that of an added or removed one.
var errChildren = errors.New("an entry has children exactly if its node is added or removed")

func (r *Record) code(c *merkle.Codec) {
	c.Fixed(3)
	c.Fields(&r.ID)
	whole := r.Old == nil || r.New == nil
	codeEntry(c, &r.Old, func() {
		if c.In != nil {
			whole = c.In.Peek() != merkle.KindNull
		}
		if c.Has(whole) {
			texts(&r.Old.Kids)(c)
		}
	})
	codeEntry(c, &r.New, func() {
		if whole {
			texts(&r.New.Kids)(c)
		} else {
			r.Kids.code(c)
		}
	})
	if (r.Old == nil || r.New == nil) != whole {
		c.Fail(errChildren)
	}
}

// codeEntry is an entry, or null; kids codes its children.
func codeEntry(c *merkle.Codec, e **node.Entry, kids func()) {
	if !c.Has(*e != nil) {
		return
	}
	if c.In != nil {
		*e = &node.Entry{}
	}
	c.Fixed(6)
	c.Fields(&(*e).Own, &(*e).Version, &(*e).Parent, merkle.Bytes(&(*e).Path))
	kids()
	c.Fields(&(*e).Modified)
}
