// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import (
	"errors"
	"fmt"
)

var (
	// ErrUnknownPolicy is returned for a policy other than value and foveal.
	ErrUnknownPolicy = errors.New("unknown policy")
	// ErrUnknownFormat is returned for a format other than org, markdown and json.
	ErrUnknownFormat = errors.New("unknown format")
	// ErrUnknownLayout is returned for a layout other than tree and sticky.
	ErrUnknownLayout = errors.New("unknown layout")
	// ErrUnknownFocus is returned when the source has no item for the focus.
	ErrUnknownFocus = errors.New("no node has this id")
)

// BudgetError is returned when the required parts do not fit the budget.
type BudgetError struct {
	// Needed is the smallest budget, in tokens, with which the same request
	// succeeds over the same source.
	Needed int
	// Budget is the requested budget in tokens.
	Budget int
	// Focus reports whether the focus needs the tokens; otherwise the frame of the text
	// alone does.
	Focus bool
	// Degraded reports whether everything optional was already left out.
	Degraded bool
}

// Error returns the required tokens and what to do.
func (e *BudgetError) Error() string {
	switch {
	case !e.Focus:
		return fmt.Sprintf("window: budget of %d tokens: an empty window needs %d; the smallest budget that works is %d", e.Budget, e.Needed, e.Needed)
	case e.Degraded:
		return fmt.Sprintf("window: budget of %d tokens: the title of the focus alone needs %d; the smallest budget that works is %d",
			e.Budget, e.Needed, e.Needed)
	default:
		return fmt.Sprintf("window: budget of %d tokens: the focus and its ancestors' titles need %d; the smallest budget that works is %d (or use --degrade)",
			e.Budget, e.Needed, e.Needed)
	}
}

// focusError wraps ErrUnknownFocus with the id.
func focusError(id string) error {
	return fmt.Errorf("window: focus %q: %w", id, ErrUnknownFocus)
}
