// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package view

import (
	"weak"

	"github.com/fovea-memory/fovea/window"
)

// named is a source that tells windows whether the handles in a kept text still hold. The
// handle of a node depends on the table of its layer, and on those of the others, which
// may give it to another node; each commit makes a new table. It is not safe for
// concurrent use.
type named struct {
	source
	view  *View
	names []*window.Names // by layer; nil until they are asked for
}

// Names implements window.Namer.
func (s *named) Names(path string) *window.Names {
	if s.names == nil {
		s.names = make([]*window.Names, len(s.view.handles))
	}
	own := s.view.layer(path)
	if s.names[own] == nil {
		n := &window.Names{Own: own}
		for _, t := range s.view.handles {
			n.Tables = append(n.Tables, weak.Make((*handleTable)(t))) // a table holds its state
		}
		s.names[own] = n
	}
	return s.names[own]
}

// HasHandle implements window.Namer. It looks into those tables alone that are not the same.
func (s *named) HasHandle(id, word string, names, before *window.Names) bool {
	if word == "" || word == id {
		return false
	}
	same := before != nil && names.Own == before.Own && len(names.Tables) == len(before.Tables)
	for i, t := range s.view.handles {
		if same && names.Tables[i] == before.Tables[i] {
			continue
		}
		if len(s.view.handles) == 1 {
			return t.Of(id) == word
		}
		if other, ok := t.ID(word); ok && other != id || !ok && i == names.Own {
			return false
		}
	}
	return true
}
