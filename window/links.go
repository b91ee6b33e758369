// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import (
	"path"
	"slices"
	"strings"
)

// links recognises the links from and to the focus by their targets as written,
// without an index of all targets.
type links struct {
	focus    int32
	document int32                      // the document of the focus
	toID     string                     // "id:" target that means the focus
	toFile   string                     // path of its document, in small letters
	toNames  map[string]bool            // what means the focus within its file
	fromIDs  []string                   // ids that the focus links to
	from     map[string]map[string]bool // path -> names that it links to
}

func newLinks(t *tree, focus *Item) *links {
	l := &links{
		focus: t.focus, document: t.document(t.focus),
		toID: "id:" + focus.ID, toFile: strings.ToLower(focus.Path), toNames: map[string]bool{},
		from: map[string]map[string]bool{},
	}
	for _, name := range names(focus) {
		l.toNames[name] = true
	}
	for _, target := range focus.Links {
		if id, ok := strings.CutPrefix(target, "id:"); ok {
			l.fromIDs = append(l.fromIDs, id)
			continue
		}
		file, name := place(target, focus.Path)
		if l.from[file] == nil {
			l.from[file] = map[string]bool{}
		}
		l.from[file][name] = true
	}
	return l
}

// names are the targets that mean item within its own file, folded; "" is the
// document itself.
func names(item *Item) []string {
	if item.Level == 0 {
		return []string{""}
	}
	title := fold(item.Title)
	all := []string{title, "*" + title}
	for _, p := range item.Properties {
		if strings.EqualFold(p[0], "CUSTOM_ID") {
			all = append(all, "#"+fold(p[1]))
		}
	}
	return all
}

// fold makes equal what Org takes for the same name.
func fold(name string) string {
	return strings.ToLower(strings.Join(strings.Fields(name), " "))
}

// place splits a target written in the file from into the path it leads to, in
// small letters, and the folded name within.
func place(target, from string) (file, name string) {
	from = strings.ToLower(from)
	rest, ok := strings.CutPrefix(target, "file:")
	if !ok {
		return from, fold(target)
	}
	rest, name, _ = strings.Cut(rest, "::")
	return path.Join(path.Dir(from), strings.ToLower(rest)), fold(name)
}

// mark sets linksTo and linkedFrom. Where the focus links by name it reads
// the documents' items and those of the nodes in the documents it links into.
func (l *links) mark(t *tree, src Source) {
	for _, id := range l.fromIDs {
		if i, ok := t.at[id]; ok {
			t.marks[i] |= linkedFrom
		}
	}
	for _, from := range t.linked {
		if slices.ContainsFunc(from.targets, func(target string) bool { return l.isFocus(target, &from) }) {
			t.marks[from.node] |= linksTo
		}
	}
	for i := int32(0); len(l.from) > 0 && int(i) < len(t.nodes); i = t.nodes[i].last + 1 {
		if item, ok := src.Item(t.nodes[i].id); ok {
			if wanted := l.from[strings.ToLower(item.Path)]; wanted != nil {
				markNamed(t, src, i, wanted)
			}
		}
	}
	t.marks[l.focus] &^= linksTo | linkedFrom
}

// markNamed marks the nodes of one document that have one of some names.
func markNamed(t *tree, src Source, document int32, wanted map[string]bool) {
	for i := document; i <= t.nodes[document].last; i++ {
		item, ok := src.Item(t.nodes[i].id)
		if ok && slices.ContainsFunc(names(&item), func(name string) bool { return wanted[name] }) {
			t.marks[i] |= linkedFrom
		}
	}
}

// isFocus reports whether a target leads to the focus.
func (l *links) isFocus(target string, from *linking) bool {
	if strings.HasPrefix(target, "id:") {
		return target == l.toID
	}
	if from.document != l.document && !strings.HasPrefix(target, "file:") {
		return false
	}
	file, name := place(target, from.path)
	return file == l.toFile && l.toNames[name]
}
