// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package graph

import (
	"context"
	"fmt"
	"iter"
	"path"
	"strconv"
	"strings"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/node"
)

// LinkTargets reports link targets outside a state.
type LinkTargets struct {
	// Exists reports whether a path below the root exists.
	Exists func(path string) bool
	// Known reports whether an id belongs to a headline outside the memex.
	Known func(id string) bool
}

// BrokenLinks yields broken links as problems of kind "link", in document order: an
// unknown id, a missing headline, custom id or target of a document, a missing file below
// the root. Targets outside the root are not checked. It ends early when ctx does.
// O(nodes + links + text of documents that are linked into by name).
func (s *State) BrokenLinks(ctx context.Context, targets LinkTargets) iter.Seq[document.Problem] {
	c := checker{state: s, targets: targets, anchors: map[string]anchors{}}
	return func(yield func(document.Problem) bool) {
		for _, p := range s.Paths() {
			if ctx.Err() != nil {
				return
			}
			line := 1
			for _, n := range s.Nodes(p) {
				var lines map[string]int // made for a node with a broken link
				for _, target := range n.Derived.Links {
					why := c.broken(n, target)
					if why == "" {
						continue
					}
					if l, ok := s.format(p).(document.Linker); ok && lines == nil {
						lines = l.LinkLines(n.Content)
					}
					if !yield(document.Problem{Path: p, Line: line + lines[target], Kind: "link", Message: why}) {
						return
					}
				}
				line += countLines(n.Content)
			}
		}
	}
}

// checker checks the links of one state.
type checker struct {
	state   *State
	targets LinkTargets
	anchors map[string]anchors // by path, made when first linked into
}

// broken returns why a link of n is broken, "" if it is not.
func (c *checker) broken(n *node.Node, target string) string {
	kind, rest, typed := strings.Cut(target, ":")
	switch {
	case typed && kind == "id":
		id, _, _ := strings.Cut(rest, "::")
		if _, ok := c.state.Get(id); ok || c.targets.Known != nil && c.targets.Known(id) {
			return ""
		}
		return fmt.Sprintf("no node has the id %.60q", id)
	case typed && kind == "file":
		return c.file(n, rest)
	case typed && isType(kind) && !strings.HasPrefix(target, "*"), strings.HasPrefix(target, "("):
		return "" // not checked: elsewhere, or a line of code
	}
	return c.named(n.Path, target)
}

// isType reports whether a word before a colon is the type of a link rather than the
// beginning of a title.
func isType(word string) bool {
	return word != "" && strings.Trim(word, "abcdefghijklmnopqrstuvwxyz0123456789+-.") == ""
}

// file checks a link to a file, or to a place in it.
func (c *checker) file(n *node.Node, rest string) string {
	name, search, _ := strings.Cut(rest, "::")
	at := n.Path
	if name != "" {
		if path.IsAbs(name) || strings.ContainsAny(name, "~$:\\") {
			return "" // on another machine, or outside
		}
		at = path.Join(path.Dir(n.Path), name)
		if document.IsMemory(n.Path) {
			at = path.Clean(name) // from the folder of the memex
		}
		if at == ".." || strings.HasPrefix(at, "../") {
			return ""
		}
	}
	if d, ok := c.state.Document(at); ok {
		if d.Derived.Opaque || search == "" {
			return ""
		}
		return c.named(at, search)
	}
	if c.targets.Exists == nil || c.targets.Exists(at) {
		return ""
	}
	return fmt.Sprintf("no file %.60q", at)
}

// named checks a place in a document: #custom, *headline, a line number, a /regular
// expression/, or a target, name or headline.
func (c *checker) named(at, name string) string {
	a := c.anchors[at]
	if a == nil {
		a = c.state.anchorsOf(at)
		c.anchors[at] = a
	}
	_, notNumber := strconv.Atoi(name)
	custom, isCustom := strings.CutPrefix(name, "#")
	title, isTitle := strings.CutPrefix(name, "*")
	switch {
	case notNumber == nil, len(name) > 1 && name[0] == '/' && name[len(name)-1] == '/':
		return ""
	case isCustom && !a[name]:
		return fmt.Sprintf("%s has no headline with the CUSTOM_ID %.60q", at, custom)
	case isCustom, a["*"+fold(title)]:
		return ""
	case isTitle:
		return fmt.Sprintf("%s has no headline %.60q", at, title)
	case a["<"+fold(name)]:
		return ""
	}
	return fmt.Sprintf("%s has no headline, target or name %.60q", at, name)
}

// anchors are the link targets inside one document: custom ids after "#", and folded after "*"
// titles, after "<" each <<target>>, <<<radio target>>> and #+NAME.
type anchors map[string]bool

func (s *State) anchorsOf(path string) anchors {
	linker, links := s.format(path).(document.Linker)
	a := anchors{}
	for _, n := range s.Nodes(path) {
		for _, v := range n.Derived.Property("CUSTOM_ID") {
			a["#"+v] = true
		}
		if n.Parent != "" {
			a["*"+fold(n.Title())] = true
			if links {
				a["*"+fold(linker.LinkTitle(n.Title()))] = true
			}
		}
		if !n.Derived.Opaque && !n.Derived.Encrypted {
			for line := range strings.Lines(n.Content) {
				a.addTargets(line)
			}
		}
	}
	return a
}

// addTargets adds the targets and the name on one line.
func (a anchors) addTargets(line string) {
	if trimmed := strings.TrimSpace(line); len(trimmed) > len("#+name:") && strings.EqualFold(trimmed[:len("#+name:")], "#+name:") {
		a["<"+fold(trimmed[len("#+name:"):])] = true
	}
	for {
		_, rest, opened := strings.Cut(line, "<<")
		name, after, closed := strings.Cut(rest, ">>")
		if !opened || !closed {
			return
		}
		a["<"+fold(strings.TrimLeft(name, "<"))] = true
		line = after
	}
}

// fold returns the same string for names that Org considers equal.
func fold(name string) string { return strings.ToLower(strings.Join(strings.Fields(name), " ")) }
