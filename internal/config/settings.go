// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package config

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/ignore"
	"github.com/fovea-memory/fovea/internal/place"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// setting is one configuration setting, as the tags of its field of Config say.
type setting struct {
	key      string
	env      []string
	standard string // the default, as TOML
	field    int    // of Config, or of the struct of a table
	parse    func(into any, v value) (any, error)
}

// value is a value from the file or the environment: a string, an int64, a float64, or a
// list of values.
type value struct {
	raw    any
	inFile bool
}

// settings lists all settings, in the order of the fields.
var settings = settingsOf(reflect.TypeFor[Config]())

// settingsOf lists the settings that the tags of a struct's fields describe.
func settingsOf(config reflect.Type) (list []setting) {
	known := parsers()
	for i := range config.NumField() {
		tag := config.Field(i).Tag
		key, ok := tag.Lookup("key")
		if !ok {
			continue
		}
		parse, ok := known[tag.Get("as")]
		if !ok {
			var low, high int
			if _, err := fmt.Sscanf(tag.Get("as"), "%d to %d", &low, &high); err != nil {
				panic(fmt.Sprintf("config: %s: no parser %q", key, tag.Get("as"))) // programming error
			}
			parse = with(func(v value) (int, error) { return v.whole(low, high) })
			if config.Field(i).Type == reflect.TypeFor[time.Duration]() {
				parse = with(func(v value) (time.Duration, error) {
					ms, err := v.whole(low, high)
					return time.Duration(ms) * time.Millisecond, err
				})
			}
		}
		list = append(list, setting{key, strings.Fields(tag.Get("env")), tag.Get("default"), i, parse})
	}
	return list
}

// set parses a value into the field of the setting.
func (s setting) set(into any, v value) error {
	parsed, err := s.parse(into, v)
	if err == nil {
		reflect.ValueOf(into).Elem().Field(s.field).Set(reflect.ValueOf(parsed))
	}
	return err
}

// parsers returns the parsers of values by the tag as; "LOW to HIGH" is a whole number in that
// range, or that many milliseconds.
func parsers() map[string]func(into any, v value) (any, error) {
	return map[string]func(any, value) (any, error){
		"text":       with(value.text),
		"truth":      with(value.truth),
		"denial":     with(value.denial),
		"secret":     with(value.secret),
		"path":       with(value.path),
		"folder":     with(value.folder),
		"address":    with(value.address),
		"paths":      with(list("texts", value.path)),
		"texts":      with(list("texts", value.text)),
		"agents":     with(list("texts", checked(author.Check))),
		"patterns":   with(list("patterns", value.pattern)),
		"keys":       with(list("texts", checked(checkKey))),
		"recipients": with(list("texts", checked(checkRecipient))),
		"projects":   with(table("lists of paths", list("texts", value.path))),
		"when":       with(checked(checkSync)),
		"share":      with(value.share),
		"guard":      with(value.guard),
		"trust":      with(tableOf[Trust]),
		"embed":      with(value.embed),
		"rerank":     with(value.rerank),
		"ipfs":       with(value.ipfs),
		"summary":    with(value.summary),
		"record":     with(tableOf[Record]),
		"grants":     with(value.grants),
		"org":        func(c any, v value) (any, error) { return c.(*Config).org(v) },
	}
}

func with[T any](parse func(value) (T, error)) func(any, value) (any, error) {
	return func(_ any, v value) (any, error) { return parse(v) }
}

// of returns another value from the same source.
func (v value) of(raw any) value { return value{raw, v.inFile} }

// String describes the value to a person, GoString with quotes around a text.
func (v value) String() string { return strings.ReplaceAll(fmt.Sprint(v.raw), "map[", "[") }

// GoString is for the verb %#v.
func (v value) GoString() string {
	if text, ok := v.raw.(string); ok {
		return strconv.Quote(text)
	}
	return v.String()
}

// list returns a parser of lists, whose values are called what; nil is an empty one.
func list[T any](what string, one func(value) (T, error)) func(value) ([]T, error) {
	return func(v value) (out []T, err error) {
		all, ok := v.raw.([]any)
		if !ok {
			return nil, fmt.Errorf("%v is not a list of %s", v, what)
		}
		for _, raw := range all {
			parsed, err := one(v.of(raw))
			if err != nil {
				return nil, err
			}
			out = append(out, parsed)
		}
		return out, nil
	}
}

// table returns a parser of tables by name, whose values are called what; nil is an empty
// one.
func table[T any](what string, one func(value) (T, error)) func(value) (map[string]T, error) {
	return func(v value) (map[string]T, error) {
		all, ok := v.raw.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("%v is not a table of %s", v, what)
		}
		var out map[string]T
		for _, name := range slices.Sorted(maps.Keys(all)) {
			parsed, err := one(v.of(all[name]))
			if below, ok := errors.AsType[*keyError](err); ok {
				return nil, &keyError{name + "." + below.key, below.why}
			}
			if err != nil {
				return nil, &keyError{name, err}
			}
			if out == nil {
				out = map[string]T{}
			}
			out[name] = parsed
		}
		return out, nil
	}
}

// keyError says what is wrong with the value of a key of a table.
type keyError struct {
	key string // such as paths, or AGENT.paths
	why error
}

// Error has the key first.
func (e *keyError) Error() string { return e.key + ": " + e.why.Error() }

// tableOf parses a table into the fields of T that are settings, as those of Config.
func tableOf[T any](v value) (T, error) {
	var into, none T
	fields := settingsOf(reflect.TypeFor[T]())
	table, ok := v.raw.(map[string]any)
	if !ok {
		return none, fmt.Errorf("%v is not a table with %s", v, names(fields))
	}
	for _, key := range slices.Sorted(maps.Keys(table)) {
		i := slices.IndexFunc(fields, func(s setting) bool { return s.key == key })
		if i < 0 {
			return none, fmt.Errorf("unknown key %q; there are %s", key, names(fields))
		}
		if err := fields[i].set(&into, v.of(table[key])); err != nil {
			return none, &keyError{key, err}
		}
	}
	return into, nil
}

func keysOf(of []setting) (keys []string) {
	for _, s := range of {
		keys = append(keys, s.key)
	}
	return keys
}

// names lists the keys of settings in words.
func names(of []setting) string {
	return strings.Join(slices.Sorted(slices.Values(keysOf(of))), ", ")
}

// isEmpty reports whether the value is a table without keys.
func (v value) isEmpty() bool {
	table, ok := v.raw.(map[string]any)
	return ok && len(table) == 0
}

func (v value) text() (string, error) {
	s, ok := v.raw.(string)
	if !ok {
		return "", fmt.Errorf("%v is not a text", v)
	}
	return s, nil
}

func (v value) truth() (bool, error) {
	truth, ok := v.raw.(bool)
	if !ok {
		return false, fmt.Errorf("%v is neither true nor false", v)
	}
	return truth, nil
}

// denial returns the opposite of a truth value.
func (v value) denial() (bool, error) {
	truth, err := v.truth()
	return !truth, err
}

// secret returns what the environment variable that the value names holds, "" for no name.
func (v value) secret() (string, error) {
	name, err := v.text()
	if err != nil || name == "" {
		return "", err
	}
	if key := os.Getenv(name); key != "" {
		return key, nil
	}
	return "", fmt.Errorf("the environment has no %s", name)
}

// pattern returns a pattern of files that matches any.
func (v value) pattern() (string, error) {
	pattern, ok := v.raw.(string)
	switch {
	case !ok:
		return "", fmt.Errorf("%v is not a pattern", v)
	case !ignore.Valid(pattern):
		return "", fmt.Errorf("%q matches no path", pattern)
	}
	return pattern, nil
}

func (v value) path() (string, error) {
	s, err := v.text()
	if err != nil {
		return "", err
	}
	if s = vfs.Expand(s, os.Getenv); s == "" {
		return "", fmt.Errorf("the path is empty")
	}
	return s, nil
}

// folder returns a path. In the environment it may be relative to the working folder; in the
// file that would differ from run to run.
func (v value) folder() (string, error) {
	s, err := v.path()
	if err == nil && v.inFile && !filepath.IsAbs(s) {
		return "", fmt.Errorf("%q does not start at / or ~", s)
	}
	if err != nil {
		return "", err
	}
	return filepath.Abs(s)
}

// checked returns a parser of texts that a function finds no fault with.
func checked(check func(string) error) func(value) (string, error) {
	return func(v value) (string, error) {
		text, err := v.text()
		if err == nil {
			err = check(text)
		}
		return text, err
	}
}

// checkKey returns an error for what is not the line of another machine's key.pub.
func checkKey(line string) error {
	if _, err := note.NewVerifier(line); err != nil {
		return fmt.Errorf("%q is not a public key; copy the line of the file key.pub", line)
	}
	return nil
}

// checkRecipient returns an error for what is not the public key that bundles are sealed for.
func checkRecipient(text string) error {
	if _, err := place.ParseRecipient(text); err != nil {
		return fmt.Errorf("%q is no age recipient; fovea bundle key prints that of a machine", text)
	}
	return nil
}

// share returns a number from 0 to 1.
func (v value) share() (float64, error) {
	f := math.NaN()
	switch raw := v.raw.(type) {
	case float64:
		f = raw
	case int64:
		f = float64(raw)
	case string:
		parsed, err := strconv.ParseFloat(strings.TrimSpace(raw), 64)
		if err == nil && !v.inFile {
			f = parsed
		}
	}
	if !(0 <= f && f <= 1) {
		return 0, fmt.Errorf("%#v is not a number from 0 to 1", v)
	}
	return f, nil
}

func (v value) whole(low, high int) (int, error) {
	i, ok := v.raw.(int64)
	if s, isText := v.raw.(string); isText && !v.inFile {
		parsed, err := strconv.ParseInt(strings.TrimSpace(s), 10, 64)
		i, ok = parsed, err == nil
	}
	if !ok || i < int64(low) || i > int64(high) {
		return 0, fmt.Errorf("%#v is not a whole number from %d to %d", v, low, high)
	}
	return int(i), nil
}
