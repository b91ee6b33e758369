// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package recall

import (
	"regexp"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/document"
)

// tagGroups are the tag groups of a document, by group tag.
type tagGroups map[string]tagGroup

// tagGroup holds the members of a group tag.
type tagGroup struct {
	tags     []string // may include group tags
	patterns []*regexp.Regexp
}

// groupsOf returns the tag groups of a document and caches them for the query.
func (r *reader) groupsOf(path string) tagGroups {
	g, ok := r.groups[path]
	if !ok {
		if d, found := r.state.Document(path); found {
			g = parseGroups(d.Derived.TagGroups)
		}
		r.groups[path] = g
	}
	return g
}

// contains reports whether a tag is a member of a group or of a group inside it. It visits
// each group once, because groups may contain each other.
func (g tagGroups) contains(group, tag string, seen map[string]bool) bool {
	members, ok := g[group]
	if !ok || seen[group] {
		return false
	}
	seen[group] = true
	if slices.Contains(members.tags, tag) || slices.ContainsFunc(members.patterns, func(p *regexp.Regexp) bool { return p.MatchString(tag) }) {
		return true
	}
	return slices.ContainsFunc(members.tags, func(inner string) bool { return g.contains(inner, tag, seen) })
}

// parseGroups builds the named groups; several declarations of one group are merged. A member
// is a tag, or a regular expression in braces. As in Org, the expression matches anywhere in a
// tag and ignores case. An invalid one is ignored.
func parseGroups(declared []document.TagGroup) tagGroups {
	groups := tagGroups{}
	for _, d := range declared {
		g := groups[d.Name]
		for _, m := range d.Members {
			if pattern, ok := strings.CutPrefix(m, "{"); !ok {
				g.tags = append(g.tags, m)
			} else if p, err := regexp.Compile("(?i)" + fromEmacsRegexp(strings.TrimSuffix(pattern, "}"))); err == nil {
				g.patterns = append(g.patterns, p)
			}
		}
		groups[d.Name] = g
	}
	delete(groups, "") // unnamed groups are lists of mutually exclusive tags
	return groups
}

// fromEmacsRegexp converts an Emacs regular expression to RE2: in Emacs, parentheses,
// braces and bars are special with a backslash, in RE2 without; the word boundaries \<
// and \> become \b.
func fromEmacsRegexp(pattern string) string {
	var b strings.Builder
	for i := 0; i < len(pattern); i++ {
		c := pattern[i]
		switch {
		case strings.IndexByte("(){}|", c) >= 0:
			b.WriteByte('\\')
		case c == '\\' && i+1 < len(pattern):
			i++
			switch c = pattern[i]; {
			case c == '<' || c == '>':
				c = 'b'
				b.WriteByte('\\')
			case strings.IndexByte("(){}|", c) < 0:
				b.WriteByte('\\')
			}
		}
		b.WriteByte(c)
	}
	return b.String()
}
