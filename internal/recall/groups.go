// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package recall

import (
	"regexp"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/org"
)

// tagGroups are the groups of tags that a document declares, by group tag.
type tagGroups map[string]tagGroup

// tagGroup is what a group tag stands for beside itself.
type tagGroup struct {
	tags     []string // some of which may be group tags
	patterns []*regexp.Regexp
}

// groupsOf returns the groups of a document, which are read once a query.
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

// holds reports whether a tag is a member of a group or of a group in it.
func (g tagGroups) contains(group, tag string) bool {
	if len(g) == 0 {
		return false
	}
	return g.containsUnseen(group, tag, map[string]bool{})
}

// reaches looks into each group once: groups may hold each other.
func (g tagGroups) containsUnseen(group, tag string, seen map[string]bool) bool {
	members, ok := g[group]
	if !ok || seen[group] {
		return false
	}
	seen[group] = true
	if slices.Contains(members.tags, tag) || slices.ContainsFunc(members.patterns, func(p *regexp.Regexp) bool { return p.MatchString(tag) }) {
		return true
	}
	return slices.ContainsFunc(members.tags, func(inner string) bool { return g.containsUnseen(inner, tag, seen) })
}

// readGroups gathers the groups that have a name: two lists may be of one.
func parseGroups(declared []org.TagGroup) tagGroups {
	groups := tagGroups{}
	for _, d := range declared {
		g := groups[d.Name]
		for _, m := range d.Members {
			g.addMember(m)
		}
		groups[d.Name] = g
	}
	delete(groups, "") // tags that only exclude one another
	return groups
}

// add adds a member as it is written: a tag, or a regular expression in braces,
// which matches inside a tag and whatever the case, as in Org.
func (g *tagGroup) addMember(member string) {
	pattern, ok := strings.CutPrefix(member, "{")
	if !ok {
		g.tags = append(g.tags, member)
		return
	}
	if p, err := regexp.Compile("(?i)" + fromEmacsRegexp(strings.TrimSuffix(pattern, "}"))); err == nil {
		g.patterns = append(g.patterns, p)
	}
}

// fromEmacs rewrites a regular expression of Emacs: there a backslash makes
// parentheses, braces and bars special, in RE2 it makes them plain, and ends of
// words are written otherwise.
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
