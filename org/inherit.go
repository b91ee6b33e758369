// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import (
	"path"
	"strings"
)

// Property returns the value of a property of headline i, of the document itself
// for -1, and whether it has one, as org-entry-get does: the last KEY of the
// drawer, then what its KEY+ lines add, joined by blanks; a KEY of nil counts as
// none. With inherit, where the drawer has no KEY, the values of the ancestors
// come before, then those of the document's drawer, then those of the #+PROPERTY
// lines. The key is matched without case. It takes time in proportion to the
// properties on the way up, and panics when i is out of range, as indexing does.
func (d *Document) Property(i int, key string, inherit bool) (string, bool) {
	var v Values
	at := i
	for at >= 0 {
		h := &d.Headlines[at]
		if v.addDrawer(h.Properties, key) || !inherit {
			return v.Join()
		}
		at = int(h.Parent)
	}
	if !v.addDrawer(d.Properties, key) && inherit {
		v.addDrawer(d.FileValues(), key)
	}
	return v.Join()
}

// addDrawer adds a drawer's lines to v and reports whether they end the way up.
func (v *Values) addDrawer(lines []Property, key string) bool {
	for _, p := range lines {
		v.Add(key, p.Key, p.Value)
	}
	return v.EndDrawer()
}

// Values collects the values of one property from a drawer and those above it,
// nearest first: [Values.Add] for each line, [Values.Up] behind each drawer.
// The zero value is empty.
type Values struct {
	base      string
	added     []string // by KEY+ in this drawer
	collected []string // collected so far, below this drawer
	found     bool     // base is there
}

// Add takes one line of the drawer into account; lines of other keys than key
// are passed over.
func (v *Values) Add(key, name, value string) {
	plain, adds := strings.CutSuffix(name, "+")
	switch {
	case !strings.EqualFold(plain, key):
	case adds:
		v.added = append(v.added, value)
	default: // of two lines with one key the last counts
		v.base, v.found = value, value != "nil"
	}
}

// EndDrawer ends a drawer. It reports whether it had a value of its own, which hides
// those above it.
func (v *Values) EndDrawer() bool {
	if v.found {
		v.collected = append(append([]string{v.base}, v.added...), v.collected...)
		v.added = nil
		return true
	}
	v.collected = append(v.added[:len(v.added):len(v.added)], v.collected...)
	v.added = nil
	return false
}

// Join returns the values collected, joined by blanks, and whether there are any.
func (v *Values) Join() (string, bool) {
	value := strings.Join(v.collected, " ")
	return value, len(v.collected) > 0 && value != "nil"
}

// FileValues returns what the #+PROPERTY lines come to, each key once and in
// order: a later line replaces an earlier one, KEY+ adds to it. A category is not
// set this way. The caller owns the slice.
func (d *Document) FileValues() []Property {
	var out []Property
	at := map[string]int{}
	for _, p := range d.FileProperties {
		name, adds := strings.CutSuffix(p.Key, "+")
		key := strings.ToUpper(name)
		if key == "CATEGORY" || p.Value == "" {
			continue
		}
		i, known := at[key]
		switch {
		case !known:
			at[key] = len(out)
			p.Key = name
			out = append(out, p)
		case adds:
			out[i].Value += " " + p.Value
		default:
			out[i].Value = p.Value
		}
	}
	return out
}

// CategoryOf returns the category of headline i, of the document itself for -1:
// the nearest CATEGORY property that is not empty, else #+CATEGORY, else the name
// of the file without folder and ending. It panics when i is out of range, as
// indexing does.
func (d *Document) CategoryOf(i int, file string) string {
	for at := i; at >= 0; at = int(d.Headlines[at].Parent) {
		if c := category(d.Headlines[at].Properties); c != "" {
			return c
		}
	}
	if c := category(d.Properties); c != "" {
		return c
	}
	if d.Category != "" {
		return d.Category
	}
	base := path.Base(file)
	return strings.TrimSuffix(base, path.Ext(base))
}

// category returns the CATEGORY of a drawer, or "".
func category(drawer []Property) string {
	value, _ := lastValue(drawer, "CATEGORY")
	return value
}
