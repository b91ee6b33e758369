// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import "github.com/fovea-memory/fovea/window/render"

type (
	// Item is the content of a node.
	Item = render.Item
	// Working is what makes an item a block of working memory.
	Working = render.Working
	// Level is how much of a node is shown.
	Level = render.Level
)

// The levels, each showing more than the one before.
const (
	Absent  = render.Absent
	Title   = render.Title
	Snippet = render.Snippet
	Full    = render.Full
)
