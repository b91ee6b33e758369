// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package clients

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// maxBrackets bounds the nesting of a file, because the parser is recursive.
const maxBrackets = 500_000

// editJSON parses an object of JSON, which may have comments and trailing commas, calls change to edit
// it, and returns its text. All bytes that change does not edit are preserved. A blank text is returned as it is.
func editJSON(text string, change func(file *hujson.Value) error) (string, error) {
	if strings.TrimSpace(text) == "" {
		return text, nil
	}
	if strings.Count(text, "{")+strings.Count(text, "[") > maxBrackets {
		return "", fmt.Errorf("it has more than %d brackets; change it by hand", maxBrackets)
	}
	file, err := hujson.Parse([]byte(text + "\n")) // the parser requires a line end after a last comment
	if err != nil {
		return "", fmt.Errorf("it is not JSON: %s; change it by hand", strings.TrimPrefix(err.Error(), "hujson: "))
	}
	if file.Value.Kind() != '{' {
		return "", errors.New("it is not a JSON object; change it by hand")
	}
	plain := file.IsStandard()
	if err := change(&file); err != nil {
		return "", err
	}
	if plain { // removing a member before " ," leaves the comma
		file.Standardize()
	}
	return strings.TrimSuffix(file.String(), "\n"), nil
}

// putJSON is editJSON, but it returns the text unchanged if the change does not alter its meaning.
func putJSON(text string, change func(file *hujson.Value) error) (string, error) {
	var was, is any
	next, err := editJSON(text, func(file *hujson.Value) error {
		return cmp.Or(decode(*file, &was), change(file), decode(*file, &is))
	})
	if err != nil || reflect.DeepEqual(was, is) {
		return text, err
	}
	return next, nil
}

// pointer returns the JSON pointer of a path of names.
func pointer(path ...string) string {
	var b strings.Builder
	for _, name := range path {
		b.WriteString("/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name))
	}
	return b.String()
}

// set sets the value at a path of names. It adds missing parts of the path, before the other members
// and on separate lines.
func set(file *hujson.Value, value string, path ...string) error {
	at := file
	for i, name := range path {
		parent, ok := at.Value.(*hujson.Object)
		if !ok {
			return fmt.Errorf("%s: it is not a JSON object; change it by hand", strings.Join(path[:i], "."))
		}
		if at.Find(pointer(name)) == nil {
			indent := "\n" + strings.Repeat("  ", i)
			if len(parent.Members) == 0 && parent.AfterExtra.IsStandard() {
				parent.AfterExtra = hujson.Extra(indent)
			}
			parent.Members = slices.Insert(parent.Members, 0, hujson.ObjectMember{
				Name:  hujson.Value{BeforeExtra: hujson.Extra(indent + "  "), Value: hujson.String(name)},
				Value: hujson.Value{BeforeExtra: hujson.Extra(" "), Value: &hujson.Object{}},
			})
		}
		at = at.Find(pointer(name))
	}
	at.Value = valueOf(value)
	return nil
}

// valueOf parses JSON that Fovea writes.
func valueOf(text string) hujson.ValueTrimmed {
	v, err := hujson.Parse([]byte(text))
	if err != nil {
		panic(err) // programming error
	}
	return v.Value
}

// cut removes the value at a path, with its comma and the comments that hujson attaches to it: those
// directly above it, after it on its line, or between it and an empty line.
func cut(file *hujson.Value, path ...string) error {
	return file.Patch([]byte(`[{"op": "remove", "path": ` + quoteJSON(pointer(path...)) + `}]`))
}

// decode is json.Unmarshal for a value that may have comments.
func decode(v hujson.Value, into any) error {
	v = v.Clone()
	v.Standardize()
	return json.Unmarshal(v.Pack(), into)
}

// mergeJSON sets mcpServers.fovea.
func mergeJSON(text string, s Server) (string, error) {
	if strings.TrimSpace(text) == "" {
		text = "{}\n"
	}
	entry := "{\n      \"command\": " + quoteJSON(s.Command) + ",\n      \"args\": " + quoteList(s.Args) + "\n    }"
	return putJSON(text, func(file *hujson.Value) error { return set(file, entry, "mcpServers", "fovea") })
}

// cutJSON removes mcpServers.fovea.
func cutJSON(text string) (string, error) {
	return editJSON(text, func(file *hujson.Value) error {
		if file.Find("/mcpServers/fovea") == nil {
			return nil
		}
		return cut(file, "mcpServers", "fovea")
	})
}
