// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package mcpserver

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// Arguments converts the arguments of a call to the types in the schema of its tool, because clients send values in other
// forms: null counts as absent; a text that is the JSON of a number, a truth value, a list or an object becomes that, and
// a number or truth value becomes a text, if the schema wants it. The error names the field in words, or is errNoObject.
func Arguments(schema *jsonschema.Schema, raw json.RawMessage) (json.RawMessage, error) {
	given, err := decoded(cmp.Or(strings.TrimSpace(string(raw)), "null"))
	if text, isText := given.(string); isText {
		given, err = decoded(cmp.Or(text, "null"))
	}
	fields, isObject := given.(map[string]any)
	if err != nil || given != nil && !isObject {
		return nil, errNoObject
	}
	if why := fitFields(schema, fields); why != "" {
		return nil, errors.New(why)
	}
	if fields == nil {
		return json.RawMessage("{}"), nil
	}
	return json.Marshal(fields)
}

// errNoObject is returned by Arguments for a value that is not an object.
var errNoObject = errors.New("the arguments are not a JSON object")

// decoded decodes one JSON value. Numbers keep their digits.
func decoded(text string) (v any, err error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if err = d.Decode(&v); err == nil {
		if _, more := d.Token(); more != io.EOF {
			err = errNoObject
		}
	}
	return v, err
}

// typeWords describes the types of JSON Schema in plain words.
var typeWords = map[string]string{
	"string": "a text", "integer": "a whole number, such as 500", "number": "a number, such as 0.5", "boolean": "true or false",
	"array": `a list, such as ["a", "b"]`, "object": `an object, such as {"KEY": "value"}`, "array of integer": "a list, such as [1, 2]",
}

// fit converts a value to the type in a schema; nil is absent. If that is impossible, why
// describes what the schema wants; else it is "".
func fit(schema *jsonschema.Schema, v any) (fitting any, why string) {
	types := schema.Types
	if schema.Type != "" {
		types = []string{schema.Type}
	}
	wantsText := len(types) == 0 || slices.Contains(types, "string")
	switch given := v.(type) {
	case string:
		if truth := strings.ToLower(given); truth == "true" || truth == "false" {
			given = truth // Python writes True
		}
		if meant, err := decoded(given); err == nil && !wantsText {
			v = meant
		}
	case json.Number, bool:
		if wantsText && len(types) == 1 {
			v = fmt.Sprint(given)
		}
	}
	if v == nil {
		return nil, ""
	}
	if len(types) > 0 && !slices.ContainsFunc(types, func(t string) bool { return isOf(t, v) }) {
		kind := types[0]
		if schema.Items != nil {
			kind += " of " + schema.Items.Type
		}
		return nil, cmp.Or(typeWords[kind], typeWords[types[0]])
	}
	if len(schema.Enum) > 0 && !slices.Contains(schema.Enum, v) {
		return nil, "one of " + strings.Trim(fmt.Sprint(schema.Enum...), "[]")
	}
	switch given := v.(type) {
	case json.Number:
		if whole, ok := asWhole(given); ok {
			v = whole
		}
		if f, _ := given.Float64(); schema.Minimum != nil && f < *schema.Minimum {
			why = fmt.Sprintf("a number from %v on", *schema.Minimum)
		}
	case []any:
		why = fitParts(schema.Items, given)
	case map[string]any:
		if why = fitFields(schema, given); strings.HasPrefix(why, fieldWords) {
			why = "an object, in which " + why
		}
	}
	return v, why
}

// fitParts is fit for the parts of a list.
func fitParts(schema *jsonschema.Schema, parts []any) (why string) {
	for i := range parts {
		if schema == nil {
			return ""
		}
		given := parts[i]
		if parts[i], why = fit(schema, given); parts[i] == nil && why == "" {
			why = typeWords[schema.Type]
		}
		if why != "" {
			return "a list, each part of which is " + why
		}
	}
	return ""
}

// fieldWords begins the description of what is wrong with a field.
const fieldWords = "the field "

// fitFields is fit for the fields of an object. It removes absent ones.
func fitFields(schema *jsonschema.Schema, fields map[string]any) string {
	named := len(schema.Properties) > 0 || schema.AdditionalProperties != nil && schema.AdditionalProperties.Not != nil
	maps.DeleteFunc(fields, func(_ string, v any) bool { return v == nil && named })
	names := slices.Sorted(maps.Keys(fields))
	for _, name := range names {
		if named && schema.AdditionalProperties != nil && schema.Properties[name] == nil {
			return "there is no field " + strconv.Quote(name)
		}
	}
	for _, name := range schema.Required {
		if _, there := fields[name]; !there {
			return fieldWords + name + " is missing; it is " + typeWords[schema.Properties[name].Type]
		}
	}
	for _, name := range names {
		value := cmp.Or(schema.Properties[name], schema.AdditionalProperties)
		if value == nil {
			continue
		}
		fitting, why := fit(value, fields[name])
		switch fields[name] = fitting; {
		case why != "" && named:
			return fieldWords + name + " is " + why
		case why != "":
			return "an object, each value of which is " + why
		case fitting == nil && named:
			delete(fields, name)
		case fitting == nil:
			return "an object without null: leave " + strconv.Quote(name) + " out; a property is deleted by its name in the field unset of edit"
		}
	}
	return ""
}

// isOf reports whether a value has a type of JSON Schema.
func isOf(kind string, v any) bool {
	switch v := v.(type) {
	case string:
		return kind == "string"
	case bool:
		return kind == "boolean"
	case json.Number:
		_, whole := asWhole(v)
		_, err := v.Float64()
		return kind == "number" && err == nil || kind == "integer" && whole
	case []any:
		return kind == "array"
	}
	return kind == "object"
}

// asWhole returns a whole number, such as 3.0 or 1e3, as its digits alone.
func asWhole(n json.Number) (json.Number, bool) {
	f, err := n.Float64()
	switch text := n.String(); {
	case err != nil || f != math.Trunc(f) || math.Abs(f) >= 1<<63:
		return n, false
	case strings.ContainsAny(text, ".eE"):
		return json.Number(strconv.FormatFloat(f, 'f', 0, 64)), true
	}
	return n, true
}
