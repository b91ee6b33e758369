// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package guard

import (
	"fmt"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/fovea-memory/fovea/internal/ignore"
)

// Mode is what a change of a file from outside leads to.
type Mode uint8

// The modes.
const (
	Trusted  Mode = iota // it is an event like any other
	Ask                  // the file is served, marked as unreviewed, and its owner is told
	Lockdown             // the file is not served until its owner has decided
)

var modeNames = [...]string{Trusted: "trusted", Ask: "ask", Lockdown: "lockdown"}

// String returns the mode as the configuration has it.
func (m Mode) String() string {
	if int(m) < len(modeNames) {
		return modeNames[m]
	}
	return fmt.Sprintf("mode %d", uint8(m))
}

// Rules are the patterns that a person gives each mode, in the syntax of
// gitignore(5), from the root of the memex. A pattern that matches a folder counts
// for all below it. Where patterns of several modes match, the strictest counts.
type Rules struct{ Lockdown, Ask, Trusted []string }

// Policy gives paths their modes. It is immutable and safe for any number of
// readers.
type Policy struct {
	groups []group
	folded []group // of the same patterns, for paths as folded makes them
}

// group are patterns of one mode that are asked together. The first group with an
// answer decides.
type group struct {
	mode  Mode
	lines []string
	rules *ignore.Rules
}

// NewPolicy makes a policy of what a person says, and of the patterns that are
// locked down where nothing else is said. A pattern that can match nothing is an
// error that names it: what it was to protect would not be.
func NewPolicy(rules Rules, standard []string) (*Policy, error) {
	p := &Policy{}
	for _, g := range []group{
		{mode: Lockdown, lines: rules.Lockdown}, {mode: Ask, lines: rules.Ask}, {mode: Trusted, lines: rules.Trusted},
		{mode: Lockdown, lines: standard},
	} {
		for _, line := range g.lines {
			if !ignore.Valid(line) {
				return nil, fmt.Errorf("%s: %q matches no path", g.mode, line)
			}
		}
		p.add(g)
	}
	return p, nil
}

func (p *Policy) add(g group) {
	if len(g.lines) > 0 {
		text := strings.Join(g.lines, "\n")
		g.rules = ignore.Parse(nil, ".", text)
		p.groups = append(p.groups, g)
		g.rules = ignore.Parse(nil, ".", folded(text))
		p.folded = append(p.folded, g)
	}
}

// Mode returns that of a file by its path below the memex, with slashes. What has
// no file, and so a path with a slash in front, is Trusted. O(patterns x
// len(path)).
func (p *Policy) Mode(path string) Mode {
	if p == nil {
		return Trusted
	}
	return mode(p.groups, path)
}

// Covers reports whether a path, or one that some file system takes for the same, is
// of another mode than Trusted: the case of letters, the Unicode form and characters
// without width do not count. O(patterns x len(path)).
func (p *Policy) Covers(path string) bool {
	return p.Mode(path) != Trusted || p != nil && mode(p.folded, folded(path)) != Trusted
}

func mode(groups []group, path string) Mode {
	if strings.HasPrefix(path, "/") {
		return Trusted
	}
	for i := range groups {
		if groups[i].matches(path) {
			return groups[i].mode
		}
	}
	return Trusted
}

// folded gives all texts that some file system takes for the same name one form.
func folded(text string) string {
	return norm.NFC.String(strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		least := r
		for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
			least = min(least, other)
		}
		return least
	}, norm.NFD.String(text)))
}

// matches reports whether the path, or a folder that it lies in, matches.
func (g *group) matches(path string) bool {
	for i := range len(path) {
		if path[i] == '/' && g.rules.Match(path[:i], true) {
			return true
		}
	}
	return g.rules.Match(path, false)
}

// String returns the policy as text: a line for each pattern, with its mode, in
// the order in which they are asked. ParsePolicy reads it.
func (p *Policy) String() string {
	var b strings.Builder
	for i, g := range p.groups {
		for _, line := range g.lines {
			fmt.Fprintf(&b, "%d %s %s\n", i, g.mode, line)
		}
	}
	return b.String()
}

// ParsePolicy reads what String has written. Lines that it did not write are
// passed over.
func ParsePolicy(text string) *Policy {
	p := &Policy{}
	var g group
	last := ""
	for line := range strings.SplitSeq(text, "\n") {
		number, rest, _ := strings.Cut(line, " ")
		name, pattern, ok := strings.Cut(rest, " ")
		mode, known := modeNamed(name)
		if !ok || !known {
			continue
		}
		if number != last {
			p.add(g)
			g, last = group{mode: mode}, number
		}
		g.lines = append(g.lines, pattern)
	}
	p.add(g)
	return p
}

func modeNamed(name string) (Mode, bool) {
	for i, n := range modeNames {
		if n == name {
			return Mode(i), true
		}
	}
	return 0, false
}
