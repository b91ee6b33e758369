// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import (
	"cmp"
	"iter"
	"path"
	"strings"

	"github.com/fovea-memory/fovea/document"
)

// Property returns the value of a property of headline i, or of the document if i is
// -1, and whether it has one, as org-entry-get does: the last KEY in the drawer, then
// the values of its KEY+ lines, joined by blanks. A KEY with the value nil counts as
// absent. With inherit set and no KEY in the drawer, the values of the ancestors, of
// the document's drawer and of the #+PROPERTY lines are included, outermost first.
// The case of the key does not matter. Property takes time in proportion to the
// properties on the path, and panics if i is out of range.
func (d *Document) Property(i int, key string, inherit bool) (string, bool) {
	var v document.Values
	for drawer := range d.drawers(i) {
		if addDrawer(&v, drawer, key) || !inherit {
			return v.Join()
		}
	}
	addDrawer(&v, d.FileValues(), key)
	return v.Join()
}

// drawers yields the properties of headline i, those of its ancestors, and those of the
// document.
func (d *Document) drawers(i int) iter.Seq[[]Property] {
	return func(yield func([]Property) bool) {
		for ; i >= 0; i = int(d.Headlines[i].Parent) {
			if !yield(d.Headlines[i].Properties) {
				return
			}
		}
		yield(d.Properties)
	}
}

// addDrawer adds the lines of a drawer to v and reports whether the search ends
// there.
func addDrawer(v *document.Values, lines []Property, key string) bool {
	for _, p := range lines {
		v.Add(key, p.Key, p.Value)
	}
	return v.EndDrawer()
}

// FileValues returns the properties set by the #+PROPERTY lines, each key once and in
// order: a later line replaces an earlier one, and KEY+ appends to it. CATEGORY is
// left out, because this does not set it. The caller owns the slice.
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

// CategoryOf returns the category of headline i, or of the document if i is -1: the
// nearest non-empty CATEGORY property, else #+CATEGORY, else the name of the file
// without folder and extension. It panics if i is out of range.
func (d *Document) CategoryOf(i int, file string) string {
	for drawer := range d.drawers(i) {
		if c, _ := lastValue(drawer, "CATEGORY"); c != "" {
			return c
		}
	}
	base := path.Base(file)
	return cmp.Or(d.Category, strings.TrimSuffix(base, path.Ext(base)))
}
