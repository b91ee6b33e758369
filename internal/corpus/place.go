// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package corpus

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/fovea-memory/fovea/internal/vfs"
)

// Place is the target of a path.
type Place struct {
	Path  string // the path as given
	Real  string // the path without links, below the root; Path if it has none
	Links uint64 // number of hard links; 0 if there is no file or the system does not report it
}

// Place follows the links in a path. Its file and folders need not exist. Errors:
// ErrName, ErrOutside, ErrDangling, ErrLoop, ErrNotFolder. It costs one lstat for each
// part of the path.
func (r *Root) Place(name string) (Place, error) {
	if !fs.ValidPath(name) || !isUsable(name) {
		return Place{}, ErrName
	}
	real, info, err := r.dir.resolveNew(name)
	if err != nil {
		return Place{}, readError(err)
	}
	return newPlace(name, real, info), nil
}

// newPlace returns the place of a path that leads to real; info is nil if there is no
// file.
func newPlace(name, real string, info fs.FileInfo) Place {
	p := Place{Path: name, Real: real}
	if info != nil {
		if id, known := vfs.IdentityOf(info); known && info.Mode().IsRegular() {
			p.Links = id.Links
		}
	}
	return p
}

// inodeMark begins the name of an inode, and no path.
const inodeMark = "\x00"

// inodeName returns the name of a file's inode among the links, "" for a file with only one
// path.
func inodeName(info fs.FileInfo) string {
	if id, known := vfs.IdentityOf(info); known && info.Mode().IsRegular() && id.Links > 1 {
		return fmt.Sprintf("%s%d:%d", inodeMark, id.Device, id.Inode)
	}
	return ""
}

// maxNames limits Root.Names: a link to a folder above itself gives a file infinitely
// many names.
const maxNames = 64

// Names lists every path that leads to the same file as path, starting with path. It
// uses the links and hard links of files and folders found by the latest scans and does not
// access the file system. O(parts of the path + names).
func (r *Root) Names(path string) []string { return namesOf(r, path) }

// namesOf is Root.Names for a file of which some paths, or its inode, are known.
func namesOf(r *Root, known ...string) []string {
	names, met := slices.Compact(known), map[string]bool{}
	for _, path := range names {
		met[path] = true
	}
	found := cmp.Or(r.links.all.Load(), &linkIndex{})
	for i := 0; i < len(names) && len(names) < maxNames; i++ {
		for _, l := range found.touching(names[i]) {
			for _, other := range []string{replacePrefix(names[i], l.path, l.real), replacePrefix(names[i], l.real, l.path)} {
				if other != "" && !met[other] {
					met[other], names = true, append(names, other)
				}
			}
		}
	}
	return slices.DeleteFunc(names, func(name string) bool { return strings.HasPrefix(name, inodeMark) })
}

// Linked returns a value that identifies the set of links known to Names. It changes
// when the set changes, and is nil while the set is empty.
func (r *Root) Linked() any {
	if all := r.links.all.Load(); all != nil && len(all.list) > 0 {
		return all
	}
	return nil
}

// replacePrefix returns path with its leading folder from replaced by to, and "" if path
// is not from or inside it.
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

// linkTarget is the path of a link and the path without links that it leads to, or a path of
// a file with several hard links and the name of its inode.
type linkTarget struct{ path, real string }

// knownLinks are the links found by the latest scan of each region of a folder.
type knownLinks struct {
	mu       sync.Mutex
	byRegion map[*Root][]linkTarget
	all      atomic.Pointer[linkIndex]
}

// linkIndex holds links in path order, and the list positions of the links by both
// their paths and their targets.
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

// touching lists, in order, the links whose path or target is path or a folder above it.
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

// update replaces the links found by an earlier scan of the region.
func (l *knownLinks) update(region *Root, found []linkTarget) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if slices.Equal(l.byRegion[region], found) {
		return
	}
	l.byRegion[region] = found
	all := slices.Concat(slices.Collect(maps.Values(l.byRegion))...)
	slices.SortFunc(all, func(a, b linkTarget) int { return strings.Compare(a.path, b.path) })
	l.all.Store(newLinkIndex(slices.Compact(all)))
}
