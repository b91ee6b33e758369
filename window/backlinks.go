// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import "slices"

// Backlinks returns the ids of the nodes whose links lead to item, a node of the outline, by
// its id or by its name: each once, in document order, at most limit, and their number. Links
// of the node to itself do not count. O(links).
func (o *Outline) Backlinks(item *Item, limit int) (ids []string, count int) {
	focus := newLinks(item)
	own, known := o.blockAt(item.Path)
	if !known {
		own = -1
	}
	var from []ref
	for index, l := range o.linksWithKeys(focus.keys()) {
		r := ref{index, l.node}
		if focus.leadsToFocus(l.target, o.blocks[index].path, int(index) == own) && o.node(r).id != item.ID {
			from = append(from, r)
		}
	}
	slices.SortFunc(from, ref.compare)
	from = slices.Compact(from)
	for _, r := range from[:min(limit, len(from))] {
		ids = append(ids, o.node(r).id)
	}
	return ids, len(from)
}
