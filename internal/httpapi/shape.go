// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"strings"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/internal/fault"
)

// shape describes an operation's types for a face.
type shape struct {
	op       *api.Operation
	fields   map[string]reflect.Type // of the request, by key
	required map[string]bool         // the required keys
}

func shapeOf(op *api.Operation) *shape {
	s := &shape{op: op, fields: map[string]reflect.Type{}, required: map[string]bool{}}
	for _, f := range reflect.VisibleFields(op.Request) {
		key, rest, _ := strings.Cut(f.Tag.Get("json"), ",")
		if key == "" || key == "-" {
			continue
		}
		s.fields[key] = f.Type
		if !strings.Contains(rest, "omit") {
			s.required[key] = true
		}
	}
	return s
}

// gettable reports whether a GET can call the operation: it changes nothing, and its required keys can be parameters.
func (s *shape) gettable() bool {
	for key := range s.required {
		if kindOf(s.fields[key]) == "" {
			return false
		}
	}
	return s.op.Effect == api.Reads
}

// parameters makes the JSON of a request from the parameters of a GET.
func (s *shape) parameters(r *http.Request) ([]byte, error) {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, s.invalid(errors.New("the parameters are not encoded as those of a URL"))
	}
	values.Del("sync") // of the call, not of the request
	request := map[string]any{}
	for key, texts := range values {
		t, ok := s.fields[key]
		switch {
		case key == "cursor":
			return nil, s.invalid(errors.New("cursor: there are no pages; ask for a larger limit"))
		case !ok || r.Method == http.MethodPost:
			return nil, s.invalid(fmt.Errorf("unknown parameter %q", key))
		}
		if request[key], err = parameter(t, texts); err != nil {
			return nil, s.invalid(fmt.Errorf("%s: %w", key, err))
		}
	}
	return json.Marshal(request)
}

func (s *shape) invalid(err error) error {
	return fault.Wrap(s.op.Name, "", fault.Invalid, err)
}

// kinds are the types of parameters other than lists of texts, with their names in a schema.
var kinds = map[reflect.Kind]struct {
	name, wanted string
	read         func(text string) (any, error)
}{
	reflect.String:  {"string", "a text", func(text string) (any, error) { return text, nil }},
	reflect.Bool:    {"boolean", "true or false", func(text string) (any, error) { return strconv.ParseBool(text) }},
	reflect.Float64: {"number", "a number", func(text string) (any, error) { return strconv.ParseFloat(text, 64) }},
	reflect.Int:     {"integer", "a whole number in range", whole},
	reflect.Int64:   {"integer", "a whole number in range", whole},
	reflect.Uint64:  {"integer", "a whole number in range", whole},
}

func whole(text string) (any, error) { return strconv.ParseInt(text, 10, 63) }

// kindOf names the type of a parameter in a schema, "" for a type that cannot be a parameter.
func kindOf(t reflect.Type) string {
	if t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.String {
		return "array"
	}
	return kinds[t.Kind()].name
}

// parameter reads the texts of one parameter as a value of a type.
func parameter(t reflect.Type, texts []string) (any, error) {
	kind, ok := kinds[t.Kind()]
	switch {
	case kindOf(t) == "array":
		return texts, nil
	case len(texts) != 1:
		return nil, errors.New("is given more than once")
	case !ok:
		return nil, errors.New("cannot be a parameter; use POST")
	}
	value, err := kind.read(texts[0])
	if err != nil {
		return nil, fmt.Errorf("%q is not %s", texts[0], kind.wanted)
	}
	return value, nil
}
