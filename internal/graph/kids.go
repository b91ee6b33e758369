// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package graph

import (
	"errors"
	"slices"

	"github.com/fovea-memory/fovea/internal/text"
	"github.com/fovea-memory/fovea/merkle"
)

// Splice replaces the children Gone, after Keep unchanged ones, by Come.
type Splice struct {
	Keep       int // unchanged children since the previous splice
	Gone, Come []string
}

// KidsEdit is the difference of two lists of children, which can be applied and undone.
// Children after the last splice are unchanged. The zero KidsEdit changes nothing.
type KidsEdit []Splice

// DiffKids returns the smallest edit from one list of ids to another. O(ids log ids); O(ids) for lists that
// differ in one place.
func DiffKids(old, now []string) KidsEdit {
	var edit KidsEdit
	at := 0
	for _, h := range text.Diff(old, now) {
		s := Splice{Keep: h.Start - at}
		if h.Start < h.End {
			s.Gone = old[h.Start:h.End]
		}
		if h.NewStart < h.NewEnd {
			s.Come = now[h.NewStart:h.NewEnd]
		}
		edit, at = append(edit, s), h.End
	}
	return edit
}

// Apply returns the list after the edit; an empty edit returns the list itself. Errors:
// ErrDelta for a list that the edit does not fit.
func (e KidsEdit) Apply(kids []string) ([]string, error) {
	return e.turn(kids, func(s *Splice) (gone, come []string) { return s.Gone, s.Come })
}

// Undo returns the list before the edit. Errors as Apply.
func (e KidsEdit) Undo(kids []string) ([]string, error) {
	return e.turn(kids, func(s *Splice) (gone, come []string) { return s.Come, s.Gone })
}

func (e KidsEdit) turn(kids []string, way func(*Splice) (gone, come []string)) ([]string, error) {
	if len(e) == 0 {
		return kids, nil
	}
	size := len(kids)
	for i := range e {
		gone, come := way(&e[i])
		size += len(come) - len(gone)
	}
	out := make([]string, 0, max(size, 0)) // negative for a list that does not fit
	for i := range e {
		keep := e[i].Keep
		gone, come := way(&e[i])
		if keep > len(kids) || len(gone) > len(kids)-keep || !slices.Equal(kids[keep:keep+len(gone)], gone) {
			return nil, ErrDelta
		}
		out = append(append(out, kids[:keep]...), come...)
		kids = kids[keep+len(gone):]
	}
	if out = append(out, kids...); len(out) == 0 {
		return nil, nil
	}
	return out, nil
}

// errSplice is returned for splices that Encode does not write.
var errSplice = errors.New("splices of children that change nothing, touch or reach too far")

// code is null, or a list of [keep, gone, come].
func (e *KidsEdit) code(c *merkle.Codec) {
	if !c.Has(len(*e) > 0) {
		return
	}
	c.Fields(merkle.List((*[]Splice)(e), func(s *Splice, c *merkle.Codec) {
		keep := uint64(s.Keep)
		c.Record(&keep, texts(&s.Gone), texts(&s.Come))
		if s.Keep = int(keep); c.In != nil && keep > merkle.MaxKids {
			c.Fail(errSplice)
		}
	}))
	if c.In == nil || c.Fail(nil) {
		return
	}
	for i, s := range *e {
		if len(s.Gone)+len(s.Come) == 0 || i > 0 && s.Keep == 0 {
			c.Fail(errSplice)
		}
	}
	if len(*e) == 0 {
		c.Fail(errSplice) // null is the form of no splice
	}
}

// texts is the form of a list of texts.
func texts(all *[]string) func(*merkle.Codec) {
	return merkle.List(all, func(text *string, c *merkle.Codec) { c.Fields(text) })
}
