// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import (
	"hash/maphash"
	"iter"
	"path"
	"slices"
	"strings"
)

// linkName is a resolved link target: "id:X" without a file, or a normalized name in a file whose path is in lower case.
// The name "" is the document itself.
type linkName struct{ file, name string }

// focusLinks resolves the links from and to the focus by their targets as written.
type focusLinks struct {
	names       map[linkName]bool          // that refer to the focus
	linkedIDs   []string                   // ids that the focus links to
	linkedNames map[string]map[string]bool // path -> names that it links to
}

func newLinks(focus *Item) *focusLinks {
	l := &focusLinks{names: map[linkName]bool{{name: "id:" + focus.ID}: true}, linkedNames: map[string]map[string]bool{}}
	for _, name := range targetNames(focus) {
		l.names[linkName{strings.ToLower(focus.Path), name}] = true
	}
	for _, target := range focus.Links {
		if id, ok := strings.CutPrefix(target, "id:"); ok {
			l.linkedIDs = append(l.linkedIDs, id)
			continue
		}
		to := resolveTarget(target, focus.Path)
		if l.linkedNames[to.file] == nil {
			l.linkedNames[to.file] = map[string]bool{}
		}
		l.linkedNames[to.file][to.name] = true
	}
	return l
}

// targetNames returns the normalized targets that refer to item within its own file; ""
// is the document itself.
func targetNames(item *Item) []string {
	if item.Level == 0 {
		return []string{""}
	}
	title := foldName(item.Title)
	names := []string{title, "*" + title}
	for _, p := range item.Properties {
		if strings.EqualFold(p[0], "CUSTOM_ID") {
			names = append(names, "#"+foldName(p[1]))
		}
	}
	return names
}

// foldName normalizes case and white space, which Org ignores in names.
func foldName(name string) string {
	return strings.ToLower(strings.Join(strings.Fields(name), " "))
}

// resolveTarget resolves a target written in the file sourcePath.
func resolveTarget(target, sourcePath string) linkName {
	if strings.HasPrefix(target, "id:") {
		return linkName{name: target}
	}
	sourcePath = strings.ToLower(sourcePath)
	filename, ok := strings.CutPrefix(target, "file:")
	if !ok {
		return linkName{sourcePath, foldName(target)}
	}
	filename, name, _ := strings.Cut(filename, "::")
	return linkName{path.Join(path.Dir(sourcePath), strings.ToLower(filename)), foldName(name)}
}

// linkSeed seeds link keys. Keys are valid within this process.
var linkSeed = maphash.MakeSeed()

// linkKey hashes a link target. Collisions are rare but possible.
func linkKey(to linkName) uint64 { return maphash.Comparable(linkSeed, to) }

// keys returns the keys of all links that lead to the focus.
func (l *focusLinks) keys() (keys []uint64) {
	for name := range l.names {
		keys = append(keys, linkKey(name))
	}
	return keys
}

// linksWithKeys yields the links with one of the keys, each with the index of its block. O(links).
func (o *Outline) linksWithKeys(keys []uint64) iter.Seq2[int32, *link] {
	return func(yield func(int32, *link) bool) {
		for index, b := range o.blocks {
			for i := range b.links {
				if l := &b.links[i]; slices.Contains(keys, l.key) && !yield(int32(index), l) {
					return
				}
			}
		}
	}
}

// mark sets linksTo and linkedFrom. If the focus links by name, it reads the items of
// the linked documents.
func (l *focusLinks) mark(t *tree) {
	for _, id := range l.linkedIDs {
		if r, ok := t.find(id); ok {
			t.ensureEvidence(r).flags |= linkedFrom
		}
	}
	for index, link := range t.linksWithKeys(l.keys()) {
		if l.leadsToFocus(link.target, t.blocks[index].path, index == t.focus.block) {
			t.ensureEvidence(ref{index, link.node}).flags |= linksTo
		}
	}
	for file, names := range l.linkedNames {
		for index, b := range t.blocks {
			if b.foldedPath == file {
				t.markNamed(int32(index), names)
			}
		}
	}
}

// markNamed sets linkedFrom on the nodes of one document that have one of the names.
func (t *tree) markNamed(index int32, names map[string]bool) {
	for i := range t.blocks[index].nodes {
		item, ok := t.src.Item(t.blocks[index].nodes[i].id)
		if ok && slices.ContainsFunc(targetNames(&item), func(name string) bool { return names[name] }) {
			t.ensureEvidence(ref{index, int32(i)}).flags |= linkedFrom
		}
	}
}

// leadsToFocus reports whether a target, written in the file sourcePath, refers to the
// focus. sameFile reports whether the focus is in that file.
func (l *focusLinks) leadsToFocus(target, sourcePath string, sameFile bool) bool {
	to := resolveTarget(target, sourcePath)
	return l.names[to] && (sameFile || strings.HasPrefix(target, "id:") || strings.HasPrefix(target, "file:"))
}

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
