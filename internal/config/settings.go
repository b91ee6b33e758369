// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package config

import (
	"cmp"
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
	"github.com/fovea-memory/fovea/internal/place"
	"github.com/fovea-memory/fovea/internal/text"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// setting is one configuration setting, from the tags of its field of Config or of a table.
type setting struct {
	key      string
	env      []string
	standard string // the default, as TOML
	as       string // kind of texts, or range of numbers
	of       string // name of the entries of a map
	field    int
}

// value is a value from the file or the environment: a string, an int64, a float64, a bool, a list or a table.
type value struct {
	raw    any
	inFile bool
}

// settings lists all settings, in the order of the fields.
var settings = settingsOf(reflect.TypeFor[Config]())

// settingsOf lists the settings that the tags of a struct's fields describe.
func settingsOf(table reflect.Type) (list []setting) {
	for i := range table.NumField() {
		tag := table.Field(i).Tag
		if key, ok := tag.Lookup("key"); ok {
			env := strings.Fields(tag.Get("env"))
			list = append(list, setting{key, env, tag.Get("default"), tag.Get("as"), tag.Get("of"), i})
		}
	}
	return list
}

// set decodes a value into the field of the setting. An error leaves the field unchanged.
func (s setting) set(into reflect.Value, v value) error {
	field := into.Field(s.field)
	parsed := reflect.New(field.Type()).Elem()
	err := v.decode(parsed, s)
	if err == nil {
		field.Set(parsed)
	}
	return err
}

// texts holds the decoders of texts, by the tag as.
var texts = map[string]func(value) (string, error){
	"text":        value.text,
	"one or more": value.text,
	"path":        value.path,
	"folder":      value.folder,
	"address":     value.address,
	"secret":      value.secret,
	"pattern":     value.pattern,
	"log":         value.logWord,
	"drawer":      value.drawer,
	"agent":       checked(author.Check),
	"key":         checked(checkKey),
	"recipient":   checked(checkRecipient),
	"when":        checked(oneOf(SyncAlways, SyncOnce, SyncOff)),
	"color":       checked(CheckColor),
	"pager": func(v value) (string, error) {
		text, err := v.text()
		return cmp.Or(strings.TrimSpace(text), noPager), err
	},
}

// decode decodes a value by the type of into and the tags of a setting. Empty lists and maps are nil.
func (v value) decode(into reflect.Value, s setting) (err error) {
	switch into.Kind() {
	case reflect.Struct:
		return v.decodeTable(into)
	case reflect.Map:
		return v.decodeMap(into, s)
	case reflect.Slice:
		return v.decodeList(into, s)
	case reflect.Bool:
		truth, ok := v.raw.(bool)
		if !ok {
			err = fmt.Errorf("%v is neither true nor false", v)
		}
		into.SetBool(truth != (s.as == "denial"))
	case reflect.Float64:
		var share float64
		share, err = v.share()
		into.SetFloat(share)
	case reflect.String:
		var text string
		text, err = texts[s.as](v)
		into.SetString(text)
	default:
		var whole int64
		whole, err = v.whole(s.as)
		if into.Type() == reflect.TypeFor[time.Duration]() {
			whole *= int64(time.Millisecond)
		}
		into.SetInt(whole)
	}
	return err
}

// decodeTable decodes a table into the fields that are settings, and calls complete if it is a completer. The
// environment gives only the first field.
func (v value) decodeTable(into reflect.Value) error {
	fields := settingsOf(into.Type())
	table, ok := v.raw.(map[string]any)
	if text, isText := v.raw.(string); isText && !v.inFile {
		table, ok = map[string]any{fields[0].key: text}, true
	}
	if !ok {
		return fmt.Errorf("%v is not a table with %s", v, names(fields))
	}
	for _, key := range slices.Sorted(maps.Keys(table)) {
		i := slices.Index(keysOf(fields), key)
		if i < 0 {
			return fmt.Errorf("unknown key %q; there are %s", key, names(fields))
		}
		if err := fields[i].set(into, value{table[key], v.inFile}); err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
	}
	if whole, ok := into.Addr().Interface().(completer); ok && len(table) > 0 {
		return whole.complete()
	}
	return nil
}

// completer is a table that sets its defaults and checks itself, unless it is empty.
type completer interface{ complete() error }

// decodeMap decodes a table whose keys are names, of agents or of others.
func (v value) decodeMap(into reflect.Value, s setting) error {
	table, ok := v.raw.(map[string]any)
	if !ok {
		return fmt.Errorf("%v is not a table of %s", v, s.of)
	}
	if len(table) > 0 {
		into.Set(reflect.MakeMap(into.Type()))
	}
	for _, name := range slices.Sorted(maps.Keys(table)) {
		entry := reflect.New(into.Type().Elem()).Elem()
		if err := (value{table[name], v.inFile}).decode(entry, s); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := author.Check(name); s.of == "agents" && err != nil {
			return err
		}
		into.SetMapIndex(reflect.ValueOf(name), entry)
	}
	return nil
}

// decodeList decodes a list, or a single text if that is allowed.
func (v value) decodeList(into reflect.Value, s setting) error {
	list, ok := v.raw.([]any)
	if text, isText := v.raw.(string); isText && s.as == "one or more" {
		list, ok = []any{text}, true
	}
	if !ok {
		what := map[bool]string{true: "patterns", false: "texts"}[s.as == "pattern"]
		return fmt.Errorf("%v is not a list of %s", v, what)
	}
	for _, raw := range list {
		entry := reflect.New(into.Type().Elem()).Elem()
		if err := (value{raw, v.inFile}).decode(entry, s); err != nil {
			return err
		}
		into.Set(reflect.Append(into, entry))
	}
	return nil
}

// String formats the value for a person; GoString puts a text in quotes.
func (v value) String() string { return strings.ReplaceAll(fmt.Sprint(v.raw), "map[", "[") }

// GoString is for the verb %#v.
func (v value) GoString() string {
	if text, ok := v.raw.(string); ok {
		return strconv.Quote(text)
	}
	return v.String()
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

func (v value) text() (string, error) {
	s, ok := v.raw.(string)
	if !ok {
		return "", fmt.Errorf("%v is not a text", v)
	}
	return s, nil
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

// pattern returns a pattern of files that can match.
func (v value) pattern() (string, error) {
	pattern, ok := v.raw.(string)
	switch {
	case !ok:
		return "", fmt.Errorf("%v is not a pattern", v)
	case !text.IsPattern(pattern):
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

// folder returns a path. Only in the environment it may be relative to the working folder, which would make
// the meaning of the file differ from run to run.
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

// checked returns a decoder of texts that accepts those for which check returns nil.
func checked(check func(string) error) func(value) (string, error) {
	return func(v value) (string, error) {
		text, err := v.text()
		if err == nil {
			err = check(text)
		}
		return text, err
	}
}

// oneOf returns a function that returns an error for every text but three.
func oneOf(a, b, c string) func(string) error {
	return func(text string) error {
		if text == a || text == b || text == c {
			return nil
		}
		return fmt.Errorf("it is %s, %s or %s", a, b, c)
	}
}

// CheckColor returns an error for an invalid value of Config.Color.
func CheckColor(when string) error { return oneOf(Auto, Always, Never)(when) }

// checkKey returns an error for a text that is not the line of a file key.pub.
func checkKey(line string) error {
	if _, err := note.NewVerifier(line); err != nil {
		return fmt.Errorf("%q is not a public key; copy the line of the file key.pub", line)
	}
	return nil
}

// checkRecipient returns an error for a text that is not an age recipient.
func checkRecipient(text string) error {
	if _, err := place.ParseRecipient(text); err != nil {
		return fmt.Errorf("%q is not an age recipient; fovea bundle key prints the one of a machine", text)
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

// whole returns a whole number in a range, such as "0 to 1000".
func (v value) whole(within string) (int64, error) {
	var low, high int64
	if _, err := fmt.Sscanf(within, "%d to %d", &low, &high); err != nil {
		panic(err) // programming error
	}
	i, ok := v.raw.(int64)
	if s, isText := v.raw.(string); isText && !v.inFile {
		parsed, err := strconv.ParseInt(strings.TrimSpace(s), 10, 64)
		i, ok = parsed, err == nil
	}
	if !ok || i < low || i > high {
		return 0, fmt.Errorf("%#v is not a whole number from %s", v, within)
	}
	return i, nil
}
