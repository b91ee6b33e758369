// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import (
	"hash/maphash"
	"path"
	"slices"
	"strings"
)

// links recognises the links from and to the focus by their targets as written.
type focusLinks struct {
	focusTarget string                     // "id:" target that means the focus
	focusPath   string                     // path of its document, in small letters
	focusNames  map[string]bool            // what means the focus within its file
	linkedIDs   []string                   // ids that the focus links to
	linkedNames map[string]map[string]bool // path -> names that it links to
}

func newLinks(t *tree, focus *Item) *focusLinks {
	l := &focusLinks{
		focusTarget: "id:" + focus.ID, focusPath: strings.ToLower(focus.Path), focusNames: map[string]bool{},
		linkedNames: map[string]map[string]bool{},
	}
	for _, name := range targetNames(focus) {
		l.focusNames[name] = true
	}
	for _, target := range focus.Links {
		if id, ok := strings.CutPrefix(target, "id:"); ok {
			l.linkedIDs = append(l.linkedIDs, id)
			continue
		}
		file, name := resolveTarget(target, focus.Path)
		if l.linkedNames[file] == nil {
			l.linkedNames[file] = map[string]bool{}
		}
		l.linkedNames[file][name] = true
	}
	return l
}

// names are the targets that mean item within its own file, folded; "" is the
// document itself.
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

// fold makes equal what Org takes for the same name.
func foldName(name string) string {
	return strings.ToLower(strings.Join(strings.Fields(name), " "))
}

// place splits a target written in the file from into the path it leads to, in
// small letters, and the folded name within.
func resolveTarget(target, sourcePath string) (file, name string) {
	sourcePath = strings.ToLower(sourcePath)
	filename, ok := strings.CutPrefix(target, "file:")
	if !ok {
		return sourcePath, foldName(target)
	}
	filename, name, _ = strings.Cut(filename, "::")
	return path.Join(path.Dir(sourcePath), strings.ToLower(filename)), foldName(name)
}

// seed is that of the keys of links in this process.
var linkSeed = maphash.MakeSeed()

// linkKey tells apart, but for rare pairs, what links lead to: an id, or a name in a
// file.
func linkKey(file, name string) uint64 {
	var h maphash.Hash
	h.SetSeed(linkSeed)
	_, _ = h.WriteString(file)
	_ = h.WriteByte(0)
	_, _ = h.WriteString(name)
	return h.Sum64()
}

// targetKey is the key of a target written in the file from.
func targetKey(target, sourcePath string) uint64 {
	if strings.HasPrefix(target, "id:") {
		return linkKey("", target)
	}
	return linkKey(resolveTarget(target, sourcePath))
}

// keys are the keys of the links that lead to the focus.
func (l *focusLinks) keys() []uint64 {
	keys := []uint64{linkKey("", l.focusTarget)}
	for name := range l.focusNames {
		keys = append(keys, linkKey(l.focusPath, name))
	}
	return keys
}

// mark sets linksTo and linkedFrom. Where the focus links by name it reads the
// items of the documents that it links into.
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
		for index := range t.blocksAtPath(file) {
			t.markNamed(index, names)
		}
	}
	t.ensureEvidence(t.focus).flags &^= linksTo | linkedFrom
}

// markNamed marks the nodes of one document that have one of some names.
func (t *tree) markNamed(index int32, names map[string]bool) {
	for i := range t.blocks[index].nodes {
		item, ok := t.src.Item(t.blocks[index].nodes[i].id)
		if ok && slices.ContainsFunc(targetNames(&item), func(name string) bool { return names[name] }) {
			t.ensureEvidence(ref{index, int32(i)}).flags |= linkedFrom
		}
	}
}

// isFocus reports whether a target leads to the focus, written in the file from; home
// says that the focus stands in it.
func (l *focusLinks) leadsToFocus(target, sourcePath string, sameFile bool) bool {
	if strings.HasPrefix(target, "id:") {
		return target == l.focusTarget
	}
	if !sameFile && !strings.HasPrefix(target, "file:") {
		return false
	}
	file, name := resolveTarget(target, sourcePath)
	return file == l.focusPath && l.focusNames[name]
}
