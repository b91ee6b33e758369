// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package config

import (
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/org"
)

// Formats returns the formats of the files of the memex.
func (c *Config) Formats() document.Formats { return document.Formats{org.Format{Defaults: c.Org}} }

// orgTable is the table org, in the order of doc/configuration.md. Its keys are named after Emacs'
// variables.
type orgTable struct {
	Todo       []string          `key:"todo" as:"one or more"`
	Tags       []string          `key:"tags" as:"one or more"`
	Done       string            `key:"log_done" as:"log"`
	Repeat     string            `key:"log_repeat" as:"log"`
	Reschedule string            `key:"log_reschedule" as:"log"`
	Redeadline string            `key:"log_redeadline" as:"log"`
	Refile     string            `key:"log_refile" as:"log"`
	Drawer     string            `key:"log_into_drawer" as:"drawer"`
	Archive    string            `key:"archive" as:"text"`
	Links      map[string]string `key:"links" of:"addresses" as:"text"`
}

// defaults returns the settings of the table.
func (t *orgTable) defaults() *org.Defaults {
	d := &org.Defaults{Todo: t.Todo, Tags: t.Tags, LogDrawer: t.Drawer, Archive: t.Archive, Links: t.Links}
	for _, log := range [][2]string{
		{t.Done, "done"}, {t.Repeat, "repeat"}, {t.Reschedule, "reschedule"}, {t.Redeadline, "redeadline"}, {t.Refile, "refile"},
	} {
		if log[0] != "" {
			d.Startup = append(d.Startup, log[0]+log[1])
		}
	}
	return d
}

// logWord returns the beginning of the word of #+STARTUP for a log: for false, "time" (or true), or "note".
func (v value) logWord() (string, error) {
	word := map[any]string{false: "nolog", true: "log", "time": "log", "note": "lognote"}
	switch v.raw.(type) {
	case bool, string:
		if word[v.raw] != "" {
			return word[v.raw], nil
		}
	}
	return "", fmt.Errorf(`%v is not "time", "note" or false`, v)
}

// drawer returns the name of a drawer, "" for none.
func (v value) drawer() (string, error) {
	switch raw := v.raw.(type) {
	case string:
		return raw, nil
	case bool:
		return map[bool]string{true: org.DefaultLogDrawer}[raw], nil
	}
	return "", fmt.Errorf("%v is neither true, false nor the name of a drawer", v)
}

// org decodes the table org key by key; nil means an empty one. A key with an unusable value counts as not
// given and is reported with its line.
func (c *Config) org(v value) (*org.Defaults, error) {
	table, ok := v.raw.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("%v is not a table", v)
	}
	var t orgTable
	fields := settingsOf(reflect.TypeFor[orgTable]())
	for _, s := range fields {
		raw, given := table[s.key]
		if !given {
			continue
		}
		next := t
		err := s.set(reflect.ValueOf(&next).Elem(), value{raw: raw, inFile: v.inFile})
		if err == nil {
			err = next.defaults().Check()
		}
		if err != nil {
			c.problem(c.place("org."+s.key)+": org."+s.key, "%v; it is ignored", err)
			continue
		}
		t = next
	}
	for _, key := range slices.Sorted(maps.Keys(table)) {
		if !slices.Contains(keysOf(fields), key) {
			c.problem(c.place("org."+key), "unknown key %q in org; the keys are %s", key, strings.Join(keysOf(fields), ", "))
		}
	}
	if d := t.defaults(); !d.IsZero() {
		return d, nil
	}
	return nil, nil
}

// place returns the file and, if found, the line of a key, such as budget or org.todo. It reads the file again.
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
