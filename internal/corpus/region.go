// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package corpus

import (
	"path/filepath"
	"slices"
	"strings"
)

// region is the part of a folder that a memory is about. The zero region is all
// of it.
type region struct {
	limited         bool // to what within names
	within, without []string
}

// Region returns the same folder confined to a part of it: a path belongs to the
// part when the longest of all paths given that it is or lies in is one of within.
// nil for within is the whole folder; "." is it, too. Paths are files or folders,
// absolute or relative to the root; those outside the root add nothing, see Inside.
// Outside the part nothing is listed, and an Org file is none. Both share what is
// open: close one of them. A setup file may lie outside.
func (r *Root) Region(within, without []string) *Root {
	part := *r
	part.region = region{limited: within != nil, within: r.relativeAll(within), without: r.relativeAll(without)}
	return &part
}

// Holds reports whether a path belongs to the part of the folder that Region
// named.
func (r *Root) InRegion(name string) bool { return r.region.contains(name) }

// Inside turns a path as a person writes it, absolute or relative to the root, into
// one below the root as documents have it, "." for the root; false for one that
// lies elsewhere.
func (r *Root) Relative(name string) (string, bool) {
	if rel, ok := r.relativeName(name); ok {
		return rel, true
	}
	name = filepath.Clean(name)
	return ".", name == "." || filepath.IsAbs(name) && r.relative(name) == "."
}

func (r *Root) relativeAll(names []string) []string {
	var out []string
	for _, name := range names {
		if rel, ok := r.Relative(name); ok {
			out = append(out, rel)
		}
	}
	return out
}

// has reports whether a path belongs to the region.
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

// reaches reports whether a folder may hold paths of the region.
func (g *region) mayContain(folder string) bool {
	return g.contains(folder) || slices.ContainsFunc(g.within, func(in string) bool { return isBelow(in, folder) })
}

// longest returns the length of the longest of the paths that name is or lies in,
// 0 for the whole folder, -1 for none.
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
