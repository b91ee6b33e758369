// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package text

import (
	"regexp"
	"strings"
	"sync"
)

// glob is a pattern as in gitignore(5): literal bytes, ?, *, [sets] and \escapes as in fnmatch(3),
// and ** for any number of folders. It matches bytes, not characters.
type glob string

// globOf returns the glob of a line, in which no slash is escaped. It returns false if no path
// can match: for an empty line and an unterminated set or escape.
func globOf(line string) (glob, bool) {
	var b strings.Builder
	for rest := glob(line); rest != ""; {
		size := 1
		switch rest[0] {
		case '\\':
			size = 2
		case '[':
			size, _ = rest.matchSet(0) // 0 if it is unterminated
		}
		if size == 0 || size > len(rest) {
			return "", false
		}
		if rest[:size] == `\/` {
			b.WriteByte('/')
		} else {
			b.WriteString(string(rest[:size]))
		}
		rest = rest[size:]
	}
	return glob(b.String()), line != ""
}

// matches reports whether g matches the whole path. It is enough to backtrack to the last star of
// a name, and then to the last **. A final ** matches everything below, but not the empty path.
// O(len(g) * len(path)).
func (g glob) matches(path string) bool {
	p, n := 0, 0
	star, next := -1, 0     // offsets after the last star in g, and after its match in path
	deep, nextName := -1, 0 // the same for the last **
	for {
		beginsName := p == 0 || g[p-1] == '/'
		switch {
		case beginsName && g[p:] == "**":
			return n < len(path)
		case beginsName && strings.HasPrefix(string(g[p:]), "**/"):
			p += len("**/")
			star, deep, nextName = -1, p, n
			continue
		case p < len(g) && g[p] == '*':
			p++
			star, next = p, n
			continue
		case n == len(path):
			if p == len(g) {
				return true
			}
		case p < len(g):
			if size, ok := g[p:].matchElement(path[n]); ok {
				if path[n] == '/' {
					star = -1
				}
				p, n = p+size, n+1
				continue
			}
		}
		if star >= 0 && next < len(path) && path[next] != '/' {
			next++
			p, n = star, next
			continue
		}
		slash := strings.IndexByte(path[nextName:], '/')
		if deep < 0 || slash < 0 {
			return false
		}
		nextName += slash + 1
		p, n, star = deep, nextName, -1
	}
}

// matchElement matches c with the first element of g, which is not a star, and
// returns the length of the element in bytes. Only a slash matches a slash.
func (g glob) matchElement(c byte) (size int, ok bool) {
	switch g[0] {
	case '?':
		return 1, c != '/'
	case '[':
		size, ok = g.matchSet(c)
		return size, ok && c != '/'
	case '\\':
		return 2, g[1] == c
	}
	return 1, g[0] == c
}

// matchSet matches c with the set at the start of g.
func (g glob) matchSet(c byte) (size int, ok bool) {
	i := 1
	negate := i < len(g) && (g[i] == '!' || g[i] == '^')
	if negate {
		i++
	}
	for first := i; ; {
		if i >= len(g) {
			return 0, false
		}
		if g[i] == ']' && i > first {
			return i + 1, ok != negate
		}
		if name, n := g[i:].className(); n > 0 {
			class := classes()[name]
			if class == nil {
				return 0, false
			}
			ok = ok || class.Match([]byte{c})
			i += n
			continue
		}
		low, n := g[i:].setMember()
		i += n
		high := low
		if i+1 < len(g) && g[i] == '-' && g[i+1] != ']' {
			high, n = g[i+1:].setMember()
			i += 1 + n
		}
		ok = ok || c == low || low <= c && c <= high // Git matches c with [c-a]
	}
}

// setMember returns the byte at the start of g, inside a set, and its length in
// g.
func (g glob) setMember() (c byte, size int) {
	if g[0] == '\\' && len(g) > 1 {
		return g[1], 2
	}
	return g[0], 1
}

// className returns the name of the class at the start of g, such as [:alpha:].
func (g glob) className() (name string, size int) {
	if !strings.HasPrefix(string(g), "[:") {
		return "", 0
	}
	name, _, ok := strings.Cut(string(g[2:]), "]")
	if !ok || !strings.HasSuffix(name, ":") {
		return "", 0
	}
	return strings.TrimSuffix(name, ":"), len(name) + 3
}

// classes are the POSIX classes for ASCII.
var classes = sync.OnceValue(func() map[string]*regexp.Regexp {
	compiled := map[string]*regexp.Regexp{}
	for name := range strings.FieldsSeq("alnum alpha blank cntrl digit graph lower print punct space upper xdigit") {
		compiled[name] = regexp.MustCompile("[[:" + name + ":]]")
	}
	return compiled
})
