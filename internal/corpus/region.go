// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package corpus

import (
	"path/filepath"
	"slices"
	"strings"
)

// selection determines which paths of a folder belong to a memex.
type selection struct {
	skills string   // relative, "" if it is outside
	opaque []string // relative, sorted
	region region   // the covered part of the folder
	parses func(path string) bool
}

// region is the part of a folder that a memory covers. The zero region is the whole
// folder.
type region struct {
	limited         bool // only the paths in within belong
	within, without []string
}

// Region returns the same folder limited to a part of it. Of all given paths that equal
// or contain a path, the longest decides: the path belongs to the region if that one is
// in within. A nil within, or ".", is the whole folder. Paths are files or folders,
// absolute or relative to the root; those outside the root are ignored, see Relative.
// Files outside the region are not listed and do not count as Org files; setup files
// may be outside. Both Roots share the open folder: close only one of them.
func (r *Root) Region(within, without []string) *Root {
	part := *r
	part.chosen.region = region{limited: within != nil, within: r.relativeAll(within), without: r.relativeAll(without)}
	return &part
}

// InRegion reports whether a path belongs to the region, see Region.
func (r *Root) InRegion(name string) bool { return r.chosen.region.contains(name) }

// Elsewhere reports whether a path belongs to another part of the folder, which Root.Region
// excluded because another Root reads it.
func Elsewhere(r *Root, name string) bool {
	return matchLen(r.chosen.region.without, name) > matchLen(r.chosen.region.within, name)
}

// Relative converts a path as the user writes it, absolute or relative to the root, to
// the path of a document below the root, "." for the root. It returns false for a path
// outside the root.
func (r *Root) Relative(name string) (string, bool) {
	if rel, ok := r.dir.relativeName(name); ok {
		return rel, true
	}
	name = filepath.Clean(name)
	return ".", name == "." || filepath.IsAbs(name) && r.dir.relative(name) == "."
}

// relativeAll returns the result of Relative for the names that are inside the root.
func (r *Root) relativeAll(names []string) []string {
	var out []string
	for _, name := range names {
		if rel, ok := r.Relative(name); ok {
			out = append(out, rel)
		}
	}
	return out
}

// contains reports whether a path belongs to the region.
func (g *region) contains(name string) bool {
	if !g.limited && len(g.without) == 0 {
		return true
	}
	best := matchLen(g.within, name)
	if !g.limited {
		best = max(best, 0)
	}
	return best > matchLen(g.without, name)
}

// mayContain reports whether a folder may contain paths of the region.
func (g *region) mayContain(folder string) bool {
	return g.contains(folder) || slices.ContainsFunc(g.within, func(in string) bool { return isBelow(in, folder) })
}

// matchLen returns the length of the longest of the paths that equals or contains
// name: 0 for the whole folder, -1 for none.
func matchLen(paths []string, name string) int {
	best := -1
	for _, p := range paths {
		switch {
		case p == ".":
			best = max(best, 0)
		case name == p, strings.HasPrefix(name, p) && isBelow(name, p):
			best = max(best, len(p))
		}
	}
	return best
}
