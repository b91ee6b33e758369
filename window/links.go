// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import (
	"hash/maphash"
	"path"
	"slices"
	"strings"
)

// links recognises the links from and to the focus by their targets as written.
type links struct {
	toID    string                     // "id:" target that means the focus
	toFile  string                     // path of its document, in small letters
	toNames map[string]bool            // what means the focus within its file
	fromIDs []string                   // ids that the focus links to
	from    map[string]map[string]bool // path -> names that it links to
}

func newLinks(t *tree, focus *Item) *links {
	l := &links{
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

// seed is that of the keys of links in this process.
var seed = maphash.MakeSeed()

// linkKey tells apart, but for rare pairs, what links lead to: an id, or a name in a
// file.
func linkKey(file, name string) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	_, _ = h.WriteString(file)
	_ = h.WriteByte(0)
	_, _ = h.WriteString(name)
	return h.Sum64()
}

// targetKey is the key of a target written in the file from.
func targetKey(target, from string) uint64 {
	if strings.HasPrefix(target, "id:") {
		return linkKey("", target)
	}
	return linkKey(place(target, from))
}

// keys are the keys of the links that lead to the focus.
func (l *links) keys() []uint64 {
	all := []uint64{linkKey("", l.toID)}
	for name := range l.toNames {
		all = append(all, linkKey(l.toFile, name))
	}
	return all
}

// mark sets linksTo and linkedFrom. Where the focus links by name it reads the
// items of the documents that it links into.
func (l *links) mark(t *tree) {
	for _, id := range l.fromIDs {
		if r, ok := t.find(id); ok {
			t.note(r).flags |= linkedFrom
		}
	}
	for at, from := range t.linking(l.keys()) {
		if l.isFocus(from.target, t.blocks[at].path, at == t.focus.block) {
			t.note(ref{at, from.node}).flags |= linksTo
		}
	}
	for file, wanted := range l.from {
		for at := range t.filed(file) {
			t.markNamed(at, wanted)
		}
	}
	t.note(t.focus).flags &^= linksTo | linkedFrom
}

// markNamed marks the nodes of one document that have one of some names.
func (t *tree) markNamed(at int32, wanted map[string]bool) {
	for i := range t.blocks[at].nodes {
		item, ok := t.src.Item(t.blocks[at].nodes[i].id)
		if ok && slices.ContainsFunc(names(&item), func(name string) bool { return wanted[name] }) {
			t.note(ref{at, int32(i)}).flags |= linkedFrom
		}
	}
}

// isFocus reports whether a target leads to the focus, written in the file from; home
// says that the focus stands in it.
func (l *links) isFocus(target, from string, home bool) bool {
	if strings.HasPrefix(target, "id:") {
		return target == l.toID
	}
	if !home && !strings.HasPrefix(target, "file:") {
		return false
	}
	file, name := place(target, from)
	return file == l.toFile && l.toNames[name]
}
