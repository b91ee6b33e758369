// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package corpus

import (
	"io/fs"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/fovea-memory/fovea/internal/vfs"
)

// Place is what a path leads to.
type Place struct {
	Path  string // as it was given
	Real  string // without links, below the root; Path where no link is in it
	Links uint64 // hard links of the file; 0 where there is no file, or the system does not tell
}

// Place follows the links in a path, whose file and folders may be yet to be made.
// Errors: ErrName, ErrOutside, ErrDangling, ErrLoop, ErrNotFolder. It costs an lstat
// for each part of the path.
func (r *Root) Place(name string) (Place, error) {
	if !fs.ValidPath(name) || !isUsable(name) {
		return Place{}, ErrName
	}
	real, info, err := r.resolveNew(name)
	if err != nil {
		return Place{}, readError(err)
	}
	return newPlace(name, real, info), nil
}

// placeOf is the place of a path that leads to real; info is nil for no file.
func newPlace(name, real string, info fs.FileInfo) Place {
	p := Place{Path: name, Real: real}
	if info != nil {
		if id, known := vfs.IdentityOf(info); known && info.Mode().IsRegular() {
			p.Links = id.Links
		}
	}
	return p
}

// maxNames bounds Root.Names: links that lead to folders around themselves give a file
// names without end.
const maxNames = 64

// ElsewhereError is an ErrElsewhere that says where the path leads.
type ElsewhereError struct{ Real string }

// Error says where the path leads, and what to name instead.
func (e *ElsewhereError) Error() string {
	return "leads to " + e.Real + "; name that file instead"
}

// Is makes it an ErrElsewhere.
func (e *ElsewhereError) Is(target error) bool { return target == ErrElsewhere }

// Names lists every path that leads to what path leads to, path first: by links of
// files and of folders as the newest scans saw them. It asks the file system nothing.
// O(parts of the path + names).
func (r *Root) Names(path string) []string {
	found := r.links.all.Load()
	if found == nil || len(found.list) == 0 {
		return []string{path}
	}
	names, met := []string{path}, map[string]bool{path: true}
	for i := 0; i < len(names) && len(names) < maxNames; i++ {
		for _, l := range found.touching(names[i]) {
			for _, other := range []string{replacePrefix(names[i], l.path, l.real), replacePrefix(names[i], l.real, l.path)} {
				if other != "" && !met[other] {
					met[other], names = true, append(names, other)
				}
			}
		}
	}
	return names
}

// Linked identifies the links that Names knows of: it changes when they do, and is nil
// while there are none.
func (r *Root) Linked() any {
	if all := r.links.all.Load(); all != nil && len(all.list) > 0 {
		return all
	}
	return nil
}

// moved returns path with its beginning from, which it is or lies in, replaced by to;
// "" for a path elsewhere.
func replacePrefix(path, from, to string) string {
	rest, ok := strings.CutPrefix(path, from)
	switch {
	case from == ".":
		rest = "/" + path
	case !ok || rest != "" && rest[0] != '/':
		return ""
	}
	if to == "." {
		return strings.TrimPrefix(rest, "/")
	}
	return to + rest
}

// lead is a link: its path, and the path without links that it leads to.
type linkTarget struct{ path, real string }

// links are those that the newest scan of each region of a folder saw.
type knownLinks struct {
	mu       sync.Mutex
	byRegion map[*Root][]linkTarget
	all      atomic.Pointer[linkIndex]
}

// leads are links in the order of their paths, and by both of their ends their places in
// the list.
type linkIndex struct {
	list []linkTarget
	ends map[string][]int
}

func newLinkIndex(list []linkTarget) *linkIndex {
	found := &linkIndex{list, map[string][]int{}}
	for i, l := range list {
		found.ends[l.path] = append(found.ends[l.path], i)
		if l.real != l.path {
			found.ends[l.real] = append(found.ends[l.real], i)
		}
	}
	return found
}

// at lists, in order, the links of which one end is path or a folder that it lies in.
func (f *linkIndex) touching(path string) []linkTarget {
	places := slices.Clone(f.ends["."])
	for i := range len(path) {
		if path[i] == '/' {
			places = append(places, f.ends[path[:i]]...)
		}
	}
	places = append(places, f.ends[path]...)
	slices.Sort(places)
	out := make([]linkTarget, 0, len(places))
	for _, i := range slices.Compact(places) {
		out = append(out, f.list[i])
	}
	return out
}

// saw replaces what an earlier scan of the region saw.
func (l *knownLinks) update(region *Root, found []linkTarget) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if slices.Equal(l.byRegion[region], found) {
		return
	}
	if l.byRegion == nil {
		l.byRegion = map[*Root][]linkTarget{}
	}
	l.byRegion[region] = found
	var all []linkTarget
	for _, some := range l.byRegion {
		all = append(all, some...)
	}
	slices.SortFunc(all, func(a, b linkTarget) int { return strings.Compare(a.path, b.path) })
	l.all.Store(newLinkIndex(slices.Compact(all)))
}
