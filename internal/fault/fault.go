// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fault

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/fovea-memory/fovea/failure"
)

// The error and its kinds, see package failure.
type (
	// Error is an operation that failed.
	Error = failure.Error
	// Kind is what a caller can do about it.
	Kind = failure.Kind
)

// The kinds of errors, see package failure.
const (
	Other       = failure.Other
	Invalid     = failure.Invalid
	NotFound    = failure.NotFound
	Ambiguous   = failure.Ambiguous
	Conflict    = failure.Conflict
	Budget      = failure.Budget
	Held        = failure.Held
	Corrupt     = failure.Corrupt
	ReadOnly    = failure.ReadOnly
	Busy        = failure.Busy
	Denied      = failure.Denied
	Locked      = failure.Locked
	Unreachable = failure.Unreachable
)

// KindOf returns the kind of an *Error in the chain of err, else Other.
func KindOf(err error) Kind { return failure.KindOf(err) }

// Wrap builds an *Error, nil if err is nil. An *Error in the chain of err is
// returned unchanged, so that a message names its operation once.
func Wrap(op, what string, kind Kind, err error) error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return &Error{Op: op, What: what, Kind: kind, Err: err}
}

// Errorf is Wrap of an error that is made here, as by fmt.Errorf.
func Errorf(op, what string, kind Kind, format string, a ...any) error {
	return Wrap(op, what, kind, fmt.Errorf(format, a...))
}

// Invalidf is Errorf of a request that says nothing that can be done.
func Invalidf(op, format string, a ...any) error { return Errorf(op, "", Invalid, format, a...) }

// Begins reports whether a name stands for an id that it begins: it has 8 bytes, which nobody
// types for something else, or 4 of a UUID.
func Begins(id, name string) bool {
	return strings.HasPrefix(id, name) && (len(name) >= 8 || len(name) >= 4 && uuid.Validate(id) == nil)
}

// Meant returns the one of some ids that a name is, or stands for as in [Begins]. Errors: Ambiguous, with the
// candidates, of the operation op; a name that begins none is returned as it is.
func Meant(op, name string, ids []string) (string, error) {
	if slices.Contains(ids, name) {
		return name, nil
	}
	found := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return !Begins(id, name) })
	switch len(found) {
	case 0:
		return name, nil
	case 1:
		return found[0], nil
	}
	return name, Errorf(op, name, Ambiguous, "several ids begin so:\n  %s", strings.Join(found, "\n  "))
}
