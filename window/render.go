// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import (
	"github.com/fovea-memory/fovea/window/choose"
	"github.com/fovea-memory/fovea/window/render"
)

type (
	// Item is the content of a node.
	Item = render.Item
	// Working is what makes an item a block of working memory.
	Working = render.Working
	// Level is how much of a node is shown.
	Level = choose.Level
)

// The levels, each showing more than the one before.
const (
	Absent  = choose.Absent
	Title   = choose.Title
	Snippet = choose.Snippet
	Full    = choose.Full
)
