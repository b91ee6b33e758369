// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/document"
)

// checklist holds the list items of one section.
type checklist struct {
	tree     *Tree
	items    []int         // elements of the items, in order
	parent   map[int]int   // the item that contains an item's list; -1 at the top
	children map[int][]int // the items in the lists of an item; those at the top for -1
	checkbox map[int]int   // offset of the state of each item with a checkbox
	state    map[int]byte  // state of each item with a checkbox
	edits    []document.Splice
}

// checkItem also updates the statistics cookies in the headline's own text. [ErrItem]
// is returned for a line that is not an item with a checkbox, for an item whose state
// depends on the items below it, and for an item that the property ORDERED blocks.
func (e *editor) checkItem(c document.CheckItem) error {
	list := e.doc.checklist(e.at)
	item := list.itemAtLine(c.Line)
	switch {
	case c.State != "X" && c.State != " " && c.State != "-":
		return fmt.Errorf(`check item to %q: want "X", " " or "-": %w`, c.State, ErrItem)
	case item < 0 || list.checkbox[item] == 0:
		return fmt.Errorf("check item: line %d is not an item with a checkbox: %w", c.Line, ErrItem)
	case len(list.boxesBelow(item, false)) > 0:
		return fmt.Errorf("check item: the checkbox in line %d depends on the items below it: %w", c.Line, ErrItem)
	}
	if open := list.hasOpenBefore(item); open && e.doc.ordered(e.at) {
		return fmt.Errorf("check item: an open checkbox before line %d blocks it: %w", c.Line, ErrItem)
	}
	list.state[item] = c.State[0]
	list.propagate(list.topItem(item))
	data, _ := e.doc.Property(e.at, "COOKIE_DATA", false)
	done, all := list.countChecked(list.boxesBelow(-1, strings.Contains(data, "recursive")))
	if !strings.Contains(data, "todo") {
		list.updateCookies(strings.Contains(data, "recursive"))
		list.updateSectionCookies(done, all)
	}
	edits := slices.SortedFunc(slices.Values(list.edits), func(a, b document.Splice) int { return b.Start - a.Start })
	for _, s := range edits {
		e.draft.replace(s.Start, s.End, s.New)
	}
	e.doc = e.doc.reparse(e.draft.text)
	if e.at >= 0 && !strings.Contains(data, "todo") {
		e.setCookies(e.at, done, all)
	}
	return nil
}

// ordered reports whether the checkboxes of headline i must be checked in order.
func (d *Document) ordered(i int) bool {
	value, _ := d.Property(i, "ORDERED", false)
	return value != ""
}

// checklist returns the list items of the section of headline i.
func (d *Document) checklist(i int) *checklist {
	c := &checklist{tree: d.Elements(i), parent: map[int]int{}, children: map[int][]int{}, checkbox: map[int]int{}, state: map[int]byte{}}
	for k := range c.tree.Elements {
		el := &c.tree.Elements[k]
		if el.Type != TypeItem {
			continue
		}
		c.items = append(c.items, k)
		up := int(c.tree.Elements[el.Parent].Parent)
		if up < 0 || c.tree.Elements[up].Type != TypeItem {
			up = -1
		}
		c.parent[k] = up
		c.children[up] = append(c.children[up], k)
		l := lineAt(d.Source, int(el.Start), int(el.End))
		if o := itemParts(l.text(d.Source)); o.checkbox > 0 {
			c.checkbox[k] = l.start + o.checkbox
			c.state[k] = d.Source[c.checkbox[k]]
		}
	}
	return c
}

// itemAtLine returns the item that starts in line n, or -1.
func (c *checklist) itemAtLine(n int) int {
	src := c.tree.Source
	at, line := 0, 1
	for _, k := range c.items {
		start := int(c.tree.Elements[k].Start)
		line += strings.Count(src[at:start], "\n")
		at = start
		if line == n {
			return k
		}
	}
	return -1
}

// hasOpenBefore reports whether an open checkbox precedes item, apart from those of
// the items that contain it.
func (c *checklist) hasOpenBefore(item int) bool {
	return slices.ContainsFunc(c.items, func(k int) bool {
		return k < item && c.checkbox[k] > 0 && c.state[k] == ' ' && item >= int(c.tree.Elements[k].Next)
	})
}

// topItem returns the outermost item that contains item k.
func (c *checklist) topItem(k int) int {
	for c.parent[k] >= 0 {
		k = c.parent[k]
	}
	return k
}

// boxesBelow returns the items with a checkbox whose parent is item k or, if
// recursive is set, all of them below it. Parent -1 is the top.
func (c *checklist) boxesBelow(k int, recursive bool) []int {
	var out []int
	for _, i := range c.children[k] {
		if c.checkbox[i] > 0 {
			out = append(out, i)
		}
		if recursive {
			out = append(out, c.boxesBelow(i, true)...)
		}
	}
	return out
}

// countChecked returns the number of items that are done, and of all items.
func (c *checklist) countChecked(items []int) (done, all int) {
	for _, k := range items {
		if c.state[k] == 'X' {
			done++
		}
	}
	return done, len(items)
}

// propagate makes the checkboxes of the list of item top agree with those below them,
// and records the changes.
func (c *checklist) propagate(top int) {
	list := c.tree.Elements[top].Parent
	src := c.tree.Source
	for i := len(c.items) - 1; i >= 0; i-- {
		k := c.items[i]
		if c.tree.Elements[c.topItem(k)].Parent != list || c.checkbox[k] == 0 {
			continue
		}
		if below := c.boxesBelow(k, false); len(below) > 0 {
			c.state[k] = c.parentState(below)
		}
		if at := c.checkbox[k]; src[at] != c.state[k] {
			c.edits = append(c.edits, document.Splice{Start: at, End: at + 1, New: string(c.state[k])})
		}
	}
}

// parentState returns the state of an item that contains items.
func (c *checklist) parentState(items []int) byte {
	state := c.state[items[0]]
	for _, k := range items {
		if c.state[k] != state {
			return '-'
		}
	}
	return state
}

// updateCookies records the changes of the statistics cookies in the texts of all
// items.
func (c *checklist) updateCookies(recursive bool) {
	for _, k := range c.items {
		el := &c.tree.Elements[k]
		start, end := int(el.Start), int(el.End)
		if c.checkbox[k] > 0 {
			start = c.checkbox[k] + len("]")
		}
		for child := range c.tree.Children(k) {
			if c.tree.Elements[child].Type == TypePlainList {
				end = int(c.tree.Elements[child].Start)
				break
			}
		}
		done, all := c.countChecked(c.boxesBelow(k, recursive))
		c.updateRange(start, end, done, all)
	}
}

// updateSectionCookies records the changes of the cookies in paragraphs outside
// lists, which have the counts of the headline.
func (c *checklist) updateSectionCookies(done, all int) {
	for i := range c.tree.Elements {
		el := &c.tree.Elements[i]
		if el.Type != TypeParagraph || c.inItem(i) {
			continue
		}
		c.updateRange(int(el.ContentsStart), int(el.ContentsEnd), done, all)
	}
}

// updateRange records the changes of the cookies between two offsets.
func (c *checklist) updateRange(start, end, done, all int) {
	text := c.tree.Source[start:end]
	if counted := withCounts(text, done, all); counted != text {
		c.edits = append(c.edits, document.Splice{Start: start, End: end, New: counted})
	}
}

// inItem reports whether element i is inside a list item.
func (c *checklist) inItem(i int) bool {
	for k := c.tree.Elements[i].Parent; k >= 0; k = c.tree.Elements[k].Parent {
		if c.tree.Elements[k].Type == TypeItem {
			return true
		}
	}
	return false
}
