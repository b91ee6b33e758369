// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"github.com/fovea-memory/fovea/internal/fault"
)

// Error is an operation that failed: its name, its subject, the kind of failure and
// the cause. Read it with errors.AsType[*fovea.Error].
type Error = fault.Error

// Kind classifies an error by what a caller can do about it. The values are
// stable: exit codes and HTTP status follow them.
type Kind = fault.Kind

// The kinds of errors.
const (
	Other     = fault.Other     // none of the kinds below: a fault of the file system or of the program
	Invalid   = fault.Invalid   // the request is malformed: correct it
	NotFound  = fault.NotFound  // the named thing does not exist
	Ambiguous = fault.Ambiguous // several things have that name: use an id
	Conflict  = fault.Conflict  // the base of the request has changed, or another process holds the store: try again
	Budget    = fault.Budget    // the pinned parts exceed the token budget: raise it, or degrade
	Held      = fault.Held      // a scan found too many documents gone: check, then accept the deletions
	Corrupt   = fault.Corrupt   // the store is damaged or of an unknown format
	ReadOnly  = fault.ReadOnly  // the store stopped writing after a fault: reopen it once the cause is gone; or a file is read-only
	Busy      = fault.Busy      // an editor has unsaved changes of the file: save or revert them there
	Denied    = fault.Denied    // the caller has no right to do this: a person can grant it
	Locked    = fault.Locked    // a protected file was changed outside Fovea: review, then adopt or reject the change
)

// KindOf returns the kind of an *Error in the chain of err, else Other.
func KindOf(err error) Kind { return fault.KindOf(err) }

// fail is fault.Wrap.
func fail(op, what string, kind Kind, err error) error { return fault.Wrap(op, what, kind, err) }
