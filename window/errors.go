// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import (
	"errors"
	"fmt"
	"strings"
)

var (
	// ErrUnknownPolicy is returned for a policy other than value, shares and foveal.
	ErrUnknownPolicy = errors.New("unknown policy")
	// ErrUnknownFormat is returned for a format other than org, markdown and json.
	ErrUnknownFormat = errors.New("unknown format")
	// ErrUnknownLayout is returned for a layout other than tree and sticky.
	ErrUnknownLayout = errors.New("unknown layout")
	// ErrReserve is returned for a reserve that is not a percentage, or that comes with another policy than shares.
	ErrReserve = errors.New("invalid reserve")
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
	// Focus reports whether the focus is required, and Critical is the number of critical
	// blocks that are. Without either, only the frame of the text is.
	Focus    bool
	Critical int
	// Degraded reports whether everything optional was already left out.
	Degraded bool
}

// Error names the required parts and the smallest budget that works.
func (e *BudgetError) Error() string {
	var pinned []string
	switch {
	case e.Focus && e.Degraded:
		pinned = append(pinned, "the title of the focus alone")
	case e.Focus:
		pinned = append(pinned, "the focus and its ancestors' titles")
	}
	switch {
	case e.Critical == 1:
		pinned = append(pinned, "a critical block")
	case e.Critical > 1:
		pinned = append(pinned, fmt.Sprintf("%d critical blocks", e.Critical))
	}
	needs, way := "need", ""
	switch {
	case len(pinned) == 0:
		pinned, needs = []string{"an empty window"}, "needs"
	case len(pinned) == 1 && (e.Critical == 1 || e.Focus && e.Degraded):
		needs = "needs"
	}
	if (e.Focus || e.Critical > 0) && !e.Degraded {
		way = " (or use --degrade)"
	}
	return fmt.Sprintf("window: budget of %d tokens: %s %s %d; the smallest budget that works is %d%s",
		e.Budget, strings.Join(pinned, ", with "), needs, e.Needed, e.Needed, way)
}
