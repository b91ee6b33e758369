// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package recall

import (
	"iter"
	"regexp"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/node"
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
			g = readGroups(d)
		}
		r.groups[path] = g
	}
	return g
}

// holds reports whether a tag is a member of a group or of a group in it.
func (g tagGroups) holds(group, tag string) bool {
	if len(g) == 0 {
		return false
	}
	return g.reaches(group, tag, map[string]bool{})
}

// reaches looks into each group once: groups may hold each other.
func (g tagGroups) reaches(group, tag string, seen map[string]bool) bool {
	if seen[group] {
		return false
	}
	seen[group] = true
	own, ok := g[group]
	if !ok {
		return false
	}
	if slices.Contains(own.tags, tag) || slices.ContainsFunc(own.patterns, func(p *regexp.Regexp) bool { return p.MatchString(tag) }) {
		return true
	}
	return slices.ContainsFunc(own.tags, func(inner string) bool { return g.reaches(inner, tag, seen) })
}

// readGroups reads the #+TAGS lines at the top of a document.
func readGroups(d *node.Node) tagGroups {
	if d.Derived.Opaque || !strings.Contains(d.Content, "#+") {
		return nil
	}
	groups := tagGroups{}
	for _, k := range org.Parse(d.Content, nil).Keywords {
		if k.Key != "TAGS" {
			continue
		}
		for name, members := range groupLists(k.Value) {
			g := groups[name]
			for _, m := range members {
				g.add(m)
			}
			groups[name] = g
		}
	}
	return groups
}

// add adds a member as it is written: a tag, or a regular expression in braces.
func (g *tagGroup) add(member string) {
	pattern, ok := strings.CutPrefix(member, "{")
	if !ok {
		g.tags = append(g.tags, member)
		return
	}
	if p, err := regexp.Compile("(?i)" + fromEmacs(strings.TrimSuffix(pattern, "}"))); err == nil {
		g.patterns = append(g.patterns, p)
	}
}

// groupLists yields the groups of a #+TAGS value: in brackets or braces, a tag,
// a colon, and its members. Braces without a colon only exclude each other.
func groupLists(value string) iter.Seq2[string, []string] {
	return func(yield func(string, []string) bool) {
		words := strings.Fields(value)
		for i, word := range words {
			if word != "[" && word != "{" || i+2 >= len(words) || words[i+2] != ":" {
				continue
			}
			var members []string
			for _, m := range words[i+3:] {
				if m == "]" || m == "}" {
					break
				}
				members = append(members, withoutKey(m))
			}
			if !yield(withoutKey(words[i+1]), members) {
				return
			}
		}
	}
}

// withoutKey cuts the fast key, such as (w), from a tag.
func withoutKey(tag string) string {
	if n := len(tag); n > 3 && tag[n-1] == ')' && tag[n-3] == '(' && tag[0] != '{' {
		return tag[:n-3]
	}
	return tag
}

// fromEmacs rewrites a regular expression of Emacs: there a backslash makes
// parentheses, braces and bars special, in RE2 it makes them plain, and ends of
// words are written otherwise.
func fromEmacs(pattern string) string {
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
