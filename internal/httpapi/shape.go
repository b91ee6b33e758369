// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"strings"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
)

// shape is what a face must know of an operation's types.
type shape struct {
	op     *api.Operation
	fields map[string]reflect.Type // of the request, by key
	list   bool                    // the answer is one
}

func shapeOf(op *api.Operation) *shape {
	s := &shape{op: op, fields: map[string]reflect.Type{}, list: op.Answer.Kind() == reflect.Slice}
	for _, f := range reflect.VisibleFields(op.Request) {
		if key, _, _ := strings.Cut(f.Tag.Get("json"), ","); key != "" && key != "-" {
			s.fields[key] = f.Type
		}
	}
	return s
}

// beside are the parameters that are not of the request.
var beside = map[string]bool{"sync": true, "cursor": true}

// parameters makes the JSON of a request from the parameters of a GET, and finds
// the page that is asked for.
func (s *shape) parameters(r *http.Request) ([]byte, *page, error) {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, nil, s.invalid(errors.New("the parameters are not encoded as those of a URL"))
	}
	request := map[string]any{}
	for key, texts := range values {
		if beside[key] {
			continue
		}
		t, ok := s.fields[key]
		if !ok || r.Method != http.MethodGet {
			return nil, nil, s.invalid(fmt.Errorf("unknown parameter %q", key))
		}
		if request[key], err = parameter(t, texts); err != nil {
			return nil, nil, s.invalid(fmt.Errorf("%s: %w", key, err))
		}
	}
	pg, err := s.page(r.Method, values.Get("cursor"), request)
	if err != nil {
		return nil, nil, s.invalid(err)
	}
	text, err := json.Marshal(request)
	return text, pg, err
}

func (s *shape) invalid(err error) error {
	return &fovea.Error{Op: s.op.Name, Kind: fovea.Invalid, Err: err}
}

// parameter reads the texts of one parameter as a value of a type.
func parameter(t reflect.Type, texts []string) (any, error) {
	if t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.String {
		return texts, nil
	}
	if len(texts) != 1 {
		return nil, errors.New("stands more than once")
	}
	text := texts[0]
	switch t.Kind() {
	case reflect.String:
		return text, nil
	case reflect.Bool:
		b, err := strconv.ParseBool(text)
		if err != nil {
			return nil, fmt.Errorf("%q is not true or false", text)
		}
		return b, nil
	case reflect.Int, reflect.Int64, reflect.Uint64:
		n, err := strconv.ParseInt(text, 10, 63)
		if err != nil {
			return nil, fmt.Errorf("%q is not a whole number in range", text)
		}
		return n, nil
	case reflect.Float64:
		f, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return nil, fmt.Errorf("%q is not a number", text)
		}
		return f, nil
	}
	return nil, errors.New("cannot be a parameter; use POST")
}

// based puts the digest of an If-Match header into the request as its base. The
// header is not passed over where there is no base: who sends it wants the write to
// hang on it.
func (s *shape) based(body []byte, header string) ([]byte, error) {
	header = strings.TrimSpace(header)
	if _, ok := s.fields["base"]; !ok && header != "" && s.op.Effect != api.Reads {
		return nil, s.invalid(errors.New("If-Match: counts where one node is changed; leave it out here"))
	} else if !ok || header == "" || header == "*" { // * is any node that is there
		return body, nil
	}
	tag := strings.Trim(header, `" `)
	request := map[string]json.RawMessage{}
	if len(bytes.TrimSpace(body)) > 0 {
		if err := json.Unmarshal(body, &request); err != nil {
			return body, nil // the operation says what is wrong with it
		}
	}
	base, err := json.Marshal(tag)
	if err != nil {
		return nil, err
	}
	if have, ok := request["base"]; ok && !bytes.Equal(have, base) {
		return nil, s.invalid(errors.New("If-Match and base differ"))
	}
	request["base"] = base
	return json.Marshal(request)
}

// tag returns the ETag of an answer, "" for one that has none: the digest of a
// node, the root of what was read from the whole memory, unless that changed
// meanwhile.
func (s *shape) tag(a any, before, after string) string {
	switch a := a.(type) {
	case *api.Shown:
		return a.Digest
	case *api.EditResponse:
		return a.Digest
	case *api.ContextResponse:
		return a.Root
	}
	if (s.op.Name == "query" || s.op.Name == "search") && before == after {
		return after
	}
	return ""
}
