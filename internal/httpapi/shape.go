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

// shape is what a face must know of an operation's types.
type shape struct {
	op       *api.Operation
	fields   map[string]reflect.Type // of the request, by key
	required map[string]bool         // keys without which it is none
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

// gettable reports whether a GET can ask for it: it changes nothing, and all that it
// requires can be a parameter.
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
			return nil, s.invalid(errors.New("cursor: a list comes whole, as far as its limit; ask for a larger limit"))
		case !ok || r.Method != http.MethodGet:
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

// parameter reads the texts of one parameter as a value of a type.
func parameter(t reflect.Type, texts []string) (any, error) {
	if t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.String {
		return texts, nil
	}
	if len(texts) != 1 {
		return nil, errors.New("is given more than once")
	}
	text := texts[0]
	var value any
	var err error
	var wanted string
	switch t.Kind() {
	case reflect.String:
		return text, nil
	case reflect.Bool:
		wanted = "true or false"
		value, err = strconv.ParseBool(text)
	case reflect.Int, reflect.Int64, reflect.Uint64:
		wanted = "a whole number in range"
		value, err = strconv.ParseInt(text, 10, 63)
	case reflect.Float64:
		wanted = "a number"
		value, err = strconv.ParseFloat(text, 64)
	default:
		return nil, errors.New("cannot be a parameter; use POST")
	}
	if err != nil {
		return nil, fmt.Errorf("%q is not %s", text, wanted)
	}
	return value, nil
}
