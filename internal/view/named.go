// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package view

import "github.com/fovea-memory/fovea/window"

// named is a source that tells windows whether the handles in a kept text still hold.
type named struct {
	source
	view *View
}

// Names implements window.Namer.
func (s *named) Names() *window.Names { return s.view.names }

// HasHandle implements window.Namer.
func (s *named) HasHandle(id, word string) bool {
	n, ok := s.get(id)
	return ok && s.view.Handle(n) == word
}
