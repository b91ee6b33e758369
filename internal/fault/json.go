// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fault

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"time"
)

// OfJSON says what is wrong with a JSON value, such as "the request", in the words of JSON and with
// the name of the field, given the error of decoding it.
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
