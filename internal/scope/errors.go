// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package scope

import (
	"errors"
	"slices"

	"github.com/fovea-memory/fovea/internal/corpus"
	"github.com/fovea-memory/fovea/internal/fault"
)

// ErrClosed is returned after a memory was closed.
var ErrClosed = errors.New("the memory is closed")

// ErrNoRights denies an agent without defined rights.
var ErrNoRights = errors.New("the agent has no rights; its caller must set them, see author.Actor.May and trust.Hold")

// FailWrite returns err with the Kind of its file error.
func FailWrite(op, what string, err error) error {
	for _, k := range writeKinds {
		if slices.ContainsFunc(k.causes, func(cause error) bool { return errors.Is(err, cause) }) {
			return fault.Wrap(op, what, k.kind, err)
		}
	}
	return fault.Wrap(op, what, fault.Other, err)
}

// writeKinds are the kinds of file errors. The first that fits counts.
var writeKinds = []struct {
	kind   fault.Kind
	causes []error
}{
	{fault.Invalid, []error{corpus.ErrElsewhere, corpus.ErrOutside, corpus.ErrTooLarge, corpus.ErrName, corpus.ErrLink, corpus.ErrSpecial,
		corpus.ErrNotFolder}},
	{fault.NotFound, []error{corpus.ErrVanished, corpus.ErrDangling}},
	{fault.ReadOnly, []error{corpus.ErrReadOnlyFile}},
	{fault.Busy, []error{corpus.ErrBusy}},
	{fault.Conflict, []error{corpus.ErrChanged}},
}
