// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/document"
)

// checklist holds the list items of one section. The first item represents the section
// itself; the outermost items are its children.
type checklist struct {
	tree  *Tree
	items []checkItem
	edits []document.Splice
}

// checkItem is a list item.
type checkItem struct {
	*Element
	children []int // the items in its lists
	outer    int   // index of the item that contains its list; 0 for the section
	box      int   // offset of the state of its checkbox; 0 if it has none
	state    byte  // state of the checkbox
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
	case list.items[item].box == 0:
		return fmt.Errorf("check item: line %d is not an item with a checkbox: %w", c.Line, ErrItem)
	case len(list.boxesBelow(item, false)) > 0:
		return fmt.Errorf("check item: the checkbox in line %d depends on the items below it: %w", c.Line, ErrItem)
	}
	if ordered, _ := e.doc.Property(e.at, "ORDERED", false); ordered != "" && list.hasOpenBefore(item) {
		return fmt.Errorf("check item: an open checkbox before line %d blocks it: %w", c.Line, ErrItem)
	}
	list.items[item].state = c.State[0]
	list.propagate(list.topItem(item))
	data, _ := e.doc.Property(e.at, "COOKIE_DATA", false)
	done, all := countChecked(list.boxesBelow(0, strings.Contains(data, "recursive")))
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

// checklist returns the list items of the section of headline i.
func (d *Document) checklist(i int) *checklist {
	c := &checklist{tree: d.Elements(i), items: make([]checkItem, 1)}
	index := map[int32]int{} // the item of an element
	for k := range c.tree.Elements {
		el := &c.tree.Elements[k]
		if el.Type != TypeItem {
			continue
		}
		item := checkItem{Element: el, outer: index[c.tree.Elements[el.Parent].Parent]}
		l := lineAt(d.Source, int(el.Start), int(el.End))
		if o := itemParts(l.text(d.Source)); o.checkbox > 0 {
			item.box = l.start + o.checkbox
			item.state = d.Source[item.box]
		}
		n := len(c.items)
		index[int32(k)] = n
		c.items[item.outer].children = append(c.items[item.outer].children, n)
		c.items = append(c.items, item)
	}
	return c
}

// itemAtLine returns the item that starts in line n, or 0.
func (c *checklist) itemAtLine(n int) int {
	at, line := 0, 1
	for k := 1; k < len(c.items); k++ {
		start := int(c.items[k].Start)
		line += strings.Count(c.tree.Source[at:start], "\n")
		at = start
		if line == n {
			return k
		}
	}
	return 0
}

// hasOpenBefore reports whether an open checkbox precedes item, apart from those of
// the items that contain it.
func (c *checklist) hasOpenBefore(item int) bool {
	return slices.ContainsFunc(c.items[:item], func(k checkItem) bool {
		return k.box > 0 && k.state == ' ' && c.items[item].Start >= k.End
	})
}

// topItem returns the outermost item that contains item k.
func (c *checklist) topItem(k int) int {
	for c.items[k].outer > 0 {
		k = c.items[k].outer
	}
	return k
}

// boxesBelow returns the states of the checkboxes of the items in item k or, if
// recursive is set, of all items below it.
func (c *checklist) boxesBelow(k int, recursive bool) []byte {
	var out []byte
	for _, i := range c.items[k].children {
		if c.items[i].box > 0 {
			out = append(out, c.items[i].state)
		}
		if recursive {
			out = append(out, c.boxesBelow(i, true)...)
		}
	}
	return out
}

// countChecked returns the number of states that are done, and of all.
func countChecked(states []byte) (done, all int) {
	return bytes.Count(states, []byte("X")), len(states)
}

// propagate makes the checkboxes of the list of item top agree with those below them,
// and records the changes.
func (c *checklist) propagate(top int) {
	for k := len(c.items) - 1; k > 0; k-- {
		item := &c.items[k]
		if c.items[c.topItem(k)].Parent != c.items[top].Parent || item.box == 0 {
			continue
		}
		if below := c.boxesBelow(k, false); len(below) > 0 {
			item.state = below[0]
			if bytes.Count(below, below[:1]) < len(below) {
				item.state = '-'
			}
		}
		if c.tree.Source[item.box] != item.state {
			c.edits = append(c.edits, document.Splice{Start: item.box, End: item.box + 1, New: string(item.state)})
		}
	}
}

// updateCookies records the changes of the statistics cookies in the texts of all
// items.
func (c *checklist) updateCookies(recursive bool) {
	for k := 1; k < len(c.items); k++ {
		item := &c.items[k]
		start, end := int(item.Start), int(item.End)
		if item.box > 0 {
			start = item.box + len("]")
		}
		if len(item.children) > 0 { // the text ends before its first list
			end = int(c.tree.Elements[c.items[item.children[0]].Parent].Start)
		}
		done, all := countChecked(c.boxesBelow(k, recursive))
		c.updateRange(start, end, done, all)
	}
}

// updateSectionCookies records the changes of the cookies in paragraphs outside
// lists, which show the counts of the headline.
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

func (c *checklist) inItem(i int) bool {
	for k := c.tree.Elements[i].Parent; k >= 0; k = c.tree.Elements[k].Parent {
		if c.tree.Elements[k].Type == TypeItem {
			return true
		}
	}
	return false
}
