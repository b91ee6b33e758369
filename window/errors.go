// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import (
	"errors"
	"fmt"
)

var (
	// ErrUnknownPolicy is returned when a request names a policy there is not.
	ErrUnknownPolicy = errors.New("unknown policy")
	// ErrUnknownFormat is returned when a request names a format there is not.
	ErrUnknownFormat = errors.New("unknown format")
	// ErrUnknownFocus is returned when the source has no item for the focus.
	ErrUnknownFocus = errors.New("no node has this id")
)

// BudgetError is returned when what must be shown does not fit the budget.
type BudgetError struct {
	// Needed is the smallest budget, in tokens, with which the same request
	// succeeds over the same source.
	Needed int
	// Budget is the one that was given.
	Budget int
	// Focus tells whether a focus is what needs the room, not the frame alone.
	Focus bool
	// Degraded tells whether everything that may be left out already was.
	Degraded bool
}

// Error says what needs how much, and what to do.
func (e *BudgetError) Error() string {
	switch {
	case !e.Focus:
		return fmt.Sprintf("window: budget of %d tokens: an empty window needs %d; the smallest budget that works is %d", e.Budget, e.Needed, e.Needed)
	case e.Degraded:
		return fmt.Sprintf("window: budget of %d tokens: the title of the focus alone needs %d; the smallest budget that works is %d", e.Budget, e.Needed, e.Needed)
	default:
		return fmt.Sprintf("window: budget of %d tokens: the focus and its ancestors' titles need %d; the smallest budget that works is %d (or use --degrade)", e.Budget, e.Needed, e.Needed)
	}
}

// focusError wraps ErrUnknownFocus with the id.
func focusError(id string) error {
	return fmt.Errorf("window: focus %q: %w", id, ErrUnknownFocus)
}
