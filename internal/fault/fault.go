// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fault

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"time"

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

// Errorf is Wrap of a new error, as by fmt.Errorf.
func Errorf(op, what string, kind Kind, format string, a ...any) error {
	return Wrap(op, what, kind, fmt.Errorf(format, a...))
}

// Invalidf is Errorf for a request that cannot be carried out as it is.
func Invalidf(op, format string, a ...any) error { return Errorf(op, "", Invalid, format, a...) }

// Begins reports whether a name abbreviates an id: the id begins with it, and it has 8 bytes, which are hardly
// typed by accident, or 4 of a UUID.
func Begins(id, name string) bool {
	return strings.HasPrefix(id, name) && (len(name) >= 8 || len(name) >= 4 && uuid.Validate(id) == nil)
}

// Meant returns the one of ids that a name is or abbreviates, see [Begins]. If it abbreviates several, the
// error is Ambiguous, of the operation op, with the candidates; if none, the name is returned as it is.
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

// OfJSON returns an error for a JSON value that could not be decoded, such as "the request", in the terms of
// JSON and with the name of the field. err is that of decoding.
func OfJSON(what string, err error) error {
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		if wrong.Field == "" {
			return fmt.Errorf("%s is a JSON %s; send an object", what, wrong.Value)
		}
		article := "a"
		if strings.HasPrefix(wrong.Value, "array") || strings.HasPrefix(wrong.Value, "object") {
			article = "an"
		}
		return fmt.Errorf("%s: %s %s cannot stand here; it wants %s", wrong.Field, article, wrong.Value, jsonKind(wrong.Type))
	}
	if key, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		return fmt.Errorf("unknown key %s", key)
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%s ends in the middle of its JSON", what)
	}
	return fmt.Errorf("%s is not JSON: %w", what, err)
}

// jsonKind names what a Go type is in JSON.
func jsonKind(t reflect.Type) string {
	if t == reflect.TypeFor[time.Time]() {
		return "a time such as 2026-11-26T10:00:00, which is local, or 2026-11-26T10:00:00Z"
	}
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "a string"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Struct, reflect.Map:
		return "an object"
	case reflect.Pointer:
		return jsonKind(t.Elem())
	case reflect.Float32, reflect.Float64:
		return "a number"
	}
	return "a whole number in range"
}
