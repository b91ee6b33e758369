// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package text

import (
	"regexp"
	"strings"
	"sync"
)

// glob is one segment of a pattern, without slashes: literal bytes, ?, *,
// [sets] and \escapes as in fnmatch(3). It matches bytes, not characters.
type glob string

// matches reports whether g matches the whole name, in O(len(g) * len(name)):
// without slashes it is enough to backtrack to the last star.
func (g glob) matches(name string) bool {
	p, n := 0, 0
	star, retry := -1, 0
	for {
		switch {
		case p < len(g) && g[p] == '*':
			star, retry = p, n
			p++
			continue
		case n == len(name):
			if p == len(g) {
				return true
			}
		case p < len(g):
			if size, ok := g[p:].matchElement(name[n]); ok {
				p, n = p+size, n+1
				continue
			}
		}
		if star < 0 || retry == len(name) {
			return false
		}
		retry++
		p, n = star+1, retry
	}
}

// matchElement matches c with the first element of g, which is not a star, and
// returns the length of the element in bytes. An unterminated element matches
// nothing.
func (g glob) matchElement(c byte) (size int, ok bool) {
	switch g[0] {
	case '?':
		return 1, true
	case '[':
		return g.matchSet(c)
	case '\\':
		if len(g) == 1 {
			return 1, false
		}
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
