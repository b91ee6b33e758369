// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package guard

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/fovea-memory/fovea/internal/text"
)

// Mode is the reaction to a change of a file outside Fovea.
type Mode uint8

// The modes.
const (
	Trusted  Mode = iota // accept the change
	Ask                  // serve the file marked as unreviewed, and notify the owner
	Lockdown             // do not serve the file until the owner has decided
)

var modeNames = [...]string{Trusted: "trusted", Ask: "ask", Lockdown: "lockdown"}

// String returns the mode as written in the configuration.
func (m Mode) String() string { return modeNames[m] }

// Rules are the user's patterns for each mode, in the syntax of gitignore(5), relative to
// the root of the memex. A pattern that matches a folder applies to everything below it.
// If patterns of several modes match, the strictest mode applies.
type Rules struct{ Lockdown, Ask, Trusted []string }

// Policy maps paths to modes. It is immutable and safe for concurrent use.
type Policy struct {
	groups []group
	folded []group // the same patterns, folded, for folded paths
}

// group is a set of patterns of one mode. The first group that matches decides.
type group struct {
	mode  Mode
	lines []string
	rules *text.Patterns
}

// NewPolicy returns a policy of the user's rules, followed by the standard patterns,
// which are locked down. A pattern that cannot match anything is an error that names it,
// because it would protect nothing.
func NewPolicy(rules Rules, standard []string) (*Policy, error) {
	p := &Policy{}
	for _, g := range []group{
		{mode: Lockdown, lines: rules.Lockdown}, {mode: Ask, lines: rules.Ask}, {mode: Trusted, lines: rules.Trusted},
		{mode: Lockdown, lines: standard},
	} {
		for _, line := range g.lines {
			if !text.IsPattern(line) {
				return nil, fmt.Errorf("%s: %q matches no path", g.mode, line)
			}
		}
		p.addGroup(g)
	}
	return p, nil
}

func (p *Policy) addGroup(g group) {
	if len(g.lines) > 0 {
		lines := strings.Join(g.lines, "\n")
		g.rules = text.ParsePatterns(nil, ".", lines)
		p.groups = append(p.groups, g)
		g.rules = text.ParsePatterns(nil, ".", fold(lines))
		p.folded = append(p.folded, g)
	}
}

// Mode returns the mode of a file, given its path below the memex, with slashes. A
// document without a file has a path that starts with a slash and is Trusted.
// O(patterns x len(path)).
func (p *Policy) Mode(path string) Mode {
	if p == nil {
		return Trusted
	}
	return mode(p.groups, path)
}

// Covers reports whether the mode of a path is not Trusted, or that of a path that some
// file system treats as the same. It ignores case, the Unicode form and zero-width
// characters. O(patterns x len(path)).
func (p *Policy) Covers(path string) bool {
	return p.Mode(path) != Trusted || p != nil && mode(p.folded, fold(path)) != Trusted
}

func mode(groups []group, path string) Mode {
	if strings.HasPrefix(path, "/") {
		return Trusted
	}
	for i := range groups {
		if groups[i].rules.Covers(path) {
			return groups[i].mode
		}
	}
	return Trusted
}

// fold returns the same text for all names that some file system treats as equal.
func fold(text string) string {
	return norm.NFC.String(strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		smallest := r
		for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
			smallest = min(smallest, other)
		}
		return smallest
	}, norm.NFD.String(text)))
}

// String returns the policy as text, which ParsePolicy parses: one line for each pattern
// with its mode, in the order of evaluation.
func (p *Policy) String() string {
	var b strings.Builder
	for i, g := range p.groups {
		for _, line := range g.lines {
			fmt.Fprintf(&b, "%d %s %s\n", i, g.mode, line)
		}
	}
	return b.String()
}

// ParsePolicy parses the output of String. It skips other lines.
func ParsePolicy(text string) *Policy {
	p := &Policy{}
	var g group
	last := ""
	for line := range strings.SplitSeq(text, "\n") {
		number, rest, _ := strings.Cut(line, " ")
		name, pattern, ok := strings.Cut(rest, " ")
		mode := slices.Index(modeNames[:], name)
		if !ok || mode < 0 {
			continue
		}
		if number != last {
			p.addGroup(g)
			g, last = group{mode: Mode(mode)}, number
		}
		g.lines = append(g.lines, pattern)
	}
	p.addGroup(g)
	return p
}
