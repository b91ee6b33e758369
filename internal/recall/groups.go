// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package recall

import (
	"iter"
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
		if r.declaresGroups(path) {
			text, _ := r.state.Text(path)
			g = readGroups(text)
		}
		r.groups[path] = g
	}
	return g
}

// declaresGroups spares reading a document without a #+TAGS line that has a
// group.
func (r *reader) declaresGroups(path string) bool {
	for _, n := range r.state.Nodes(path) {
		if n.Derived.Opaque {
			return false
		}
		for range groupNames(n.Content) {
			return true
		}
	}
	return false
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
	own, ok := g[group]
	if !ok || seen[group] {
		return false
	}
	seen[group] = true
	if slices.Contains(own.tags, tag) || slices.ContainsFunc(own.patterns, func(p *regexp.Regexp) bool { return p.MatchString(tag) }) {
		return true
	}
	return slices.ContainsFunc(own.tags, func(inner string) bool { return g.reaches(inner, tag, seen) })
}

// readGroups reads the groups that a document declares.
func readGroups(text string) tagGroups {
	groups := tagGroups{}
	for _, declared := range org.Parse(text, nil).TagGroups {
		if declared.Name == "" {
			continue
		}
		g := groups[declared.Name]
		for _, m := range declared.Members {
			g.add(m)
		}
		groups[declared.Name] = g
	}
	return groups
}

// add adds a member as it is written: a tag, or a regular expression in braces,
// which matches inside a tag and whatever the case, as in Org.
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

// unnamed stands for the name of a group that is on another line than its colon.
const unnamed = ":"

// groupNames yields the names of the groups that #+TAGS lines in a part of a
// document may declare: at least those that it does.
func groupNames(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for {
			const mark = "#+TAGS:"
			i := strings.Index(text, "#+")
			if i < 0 {
				return
			}
			text = text[i:]
			if len(text) < len(mark) || !strings.EqualFold(text[:len(mark)], mark) {
				text = text[len("#+"):]
				continue
			}
			line, _, _ := strings.Cut(text[len(mark):], "\n")
			text = text[len(mark):]
			words := strings.Fields(line)
			for i, word := range words {
				name := unnamed
				if i > 0 {
					name = withoutKey(words[i-1])
				}
				if word == ":" && !yield(name) {
					return
				}
			}
		}
	}
}

// withoutKey cuts the fast key, such as (w), from a tag.
func withoutKey(tag string) string {
	if i := strings.LastIndexByte(tag, '('); i > 0 && strings.HasSuffix(tag, ")") {
		return tag[:i]
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
