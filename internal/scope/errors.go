// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package scope

import (
	"errors"

	"github.com/fovea-memory/fovea/internal/corpus"
	"github.com/fovea-memory/fovea/internal/fault"
)

// ErrClosed is returned after a memory was closed.
var ErrClosed = errors.New("the memory is closed")

// ErrNoRights denies an agent without defined rights.
var ErrNoRights = errors.New("the agent has no rights; its caller must set them, see author.Actor.May and trust.Hold")

// FailWrite returns err with the Kind of its file error.
func FailWrite(op, what string, err error) error {
	kind := fault.Other
	for _, k := range writeKinds {
		if errors.Is(err, k.err) {
			kind = k.kind
		}
	}
	return fault.Wrap(op, what, kind, err)
}

var writeKinds = []struct {
	err  error
	kind fault.Kind
}{
	{corpus.ErrChanged, fault.Conflict},
	{corpus.ErrBusy, fault.Busy},
	{corpus.ErrReadOnlyFile, fault.ReadOnly},
	{corpus.ErrVanished, fault.NotFound},
	{corpus.ErrDangling, fault.NotFound},
	{corpus.ErrElsewhere, fault.Invalid},
	{corpus.ErrOutside, fault.Invalid},
	{corpus.ErrTooLarge, fault.Invalid},
	{corpus.ErrName, fault.Invalid},
	{corpus.ErrLink, fault.Invalid},
	{corpus.ErrSpecial, fault.Invalid},
	{corpus.ErrNotFolder, fault.Invalid},
}
