// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package config

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/org"
)

// Formats returns the formats of the files of the memex.
func (c *Config) Formats() document.Formats { return document.Formats{org.Format{Defaults: c.Org}} }

// orgKey is a key of the table org and the setter for its value.
type orgKey struct {
	key string
	set func(*org.Defaults, value) error
}

// orgKeys lists all keys, in the order of doc/configuration.md. They are named after Emacs'
// variables.
var orgKeys = []orgKey{
	{"todo", parsedInto(func(d *org.Defaults) *[]string { return &d.Todo }, value.oneOrTexts)},
	{"tags", parsedInto(func(d *org.Defaults) *[]string { return &d.Tags }, value.oneOrTexts)},
	{"log_done", logSetting("done")},
	{"log_repeat", logSetting("repeat")},
	{"log_reschedule", logSetting("reschedule")},
	{"log_redeadline", logSetting("redeadline")},
	{"log_refile", logSetting("refile")},
	{"log_into_drawer", func(d *org.Defaults, v value) error {
		switch raw := v.raw.(type) {
		case bool:
			d.LogDrawer = ""
			if raw {
				d.LogDrawer = org.DefaultLogDrawer
			}
			return nil
		case string:
			d.LogDrawer = raw
			return nil
		}
		return fmt.Errorf("%v is neither true, false nor the name of a drawer", v)
	}},
	{"archive", parsedInto(func(d *org.Defaults) *string { return &d.Archive }, value.text)},
	{"links", parsedInto(func(d *org.Defaults) *map[string]string { return &d.Links }, table("addresses", value.text))},
}

// parsedInto returns the setter of a field.
func parsedInto[T any](field func(*org.Defaults) *T, parse func(value) (T, error)) func(*org.Defaults, value) error {
	return func(d *org.Defaults, v value) (err error) {
		*field(d), err = parse(v)
		return err
	}
}

// logSetting returns the setter for a log setting: false, "time" (or true), or "note".
func logSetting(what string) func(*org.Defaults, value) error {
	return func(d *org.Defaults, v value) error {
		word := ""
		switch raw := v.raw.(type) {
		case bool:
			word = map[bool]string{false: "nolog", true: "log"}[raw]
		case string:
			word = map[string]string{"time": "log", "note": "lognote"}[raw]
		}
		if word == "" {
			return fmt.Errorf(`%v is not "time", "note" or false`, v)
		}
		d.Startup = append(d.Startup, word+what)
		return nil
	}
}

// org parses the table org key by key; nil is an empty one. A key with an unusable value
// counts as not given and is reported with its line.
func (c *Config) org(v value) (*org.Defaults, error) {
	table, ok := v.raw.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("%v is not a table", v)
	}
	d := org.Defaults{}
	var known []string
	for _, k := range orgKeys {
		known = append(known, k.key)
		raw, given := table[k.key]
		if !given {
			continue
		}
		next := d
		next.Startup = slices.Clone(d.Startup)
		err := k.set(&next, v.of(raw))
		if err == nil {
			err = next.Check()
		}
		if err != nil {
			c.Problems = append(c.Problems, fmt.Sprintf("%s: org.%s: %v; it is ignored", c.place("org."+k.key), k.key, err))
			continue
		}
		d = next
	}
	for _, key := range slices.Sorted(maps.Keys(table)) {
		if !slices.Contains(known, key) {
			c.Problems = append(c.Problems, fmt.Sprintf("%s: unknown key %q in org; the keys are %s", c.place("org."+key), key, strings.Join(known, ", ")))
		}
	}
	if d.IsZero() {
		return nil, nil
	}
	return &d, nil
}

// oneOrTexts returns a list from a string or a list of strings.
func (v value) oneOrTexts() ([]string, error) {
	if one, ok := v.raw.(string); ok {
		return []string{one}, nil
	}
	return list("texts", value.text)(v)
}

// place returns the file and, if found, the line of a key, such as budget or org.todo. It reads the
// file again, but only for a problem.
func (c *Config) place(key string) string {
	text, err := os.ReadFile(c.File)
	if err != nil {
		return c.File
	}
	in := ""
	for i, line := range strings.Split(string(text), "\n") {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "["); ok {
			name, _, _ = strings.Cut(name, "]")
			in = strings.TrimSpace(name)
			if in == key || strings.HasPrefix(in, key+".") {
				return fmt.Sprintf("%s:%d", c.File, i+1)
			}
			continue
		}
		name, _, isKey := strings.Cut(line, "=")
		name = strings.ReplaceAll(strings.ReplaceAll(name, " ", ""), `"`, "")
		if in != "" {
			name = in + "." + name
		}
		if isKey && (name == key || strings.HasPrefix(name, key+".")) {
			return fmt.Sprintf("%s:%d", c.File, i+1)
		}
	}
	return c.File
}
