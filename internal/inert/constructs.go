// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package inert

import (
	"regexp"
	"slices"
	"strings"
	"time"
)

// construct is something that Emacs or Org acts on wherever it stands in a text: in a
// title, a property, a body, code. Emacs finds these by searching, not by parsing.
type construct struct {
	name string
	find *regexp.Regexp
	// signs are texts in lower case of which each match has one: who looks for them first
	// seldom has to search.
	signs []string
	// at is the group of find in front of which the construct is parted.
	at int
	// fine reports of a text that begins with a match that this does not act; nil means
	// that each acts.
	fine func(text string) bool
}

// constructs are all of them. What stands on lines of its own is in the table elements.
var constructs = []construct{
	{name: "variables of the file", signs: []string{"local variables:"}, find: regexp.MustCompile(`(?i)local( variables:)`), at: 1},
	{name: "variables of the file in its first line", signs: []string{"-*-"}, find: regexp.MustCompile(`-(\*-)`), at: 1},
	{name: "a link that runs something", signs: []string{"elisp:", "shell:", "file+sys:", "file+emacs:"}, find: regexp.MustCompile(`(?i)(?:elisp|shell|file\+sys|file\+emacs)(:)`), at: 1},
	{name: "a link to a program", signs: []string{"man:", "mhe:", "gnus:", "rmail:", "bbdb:", "irc:", "mu4e:", "notmuch:", "docview:", "org-protocol:", "bookmark:", "eww:", "w3m:", "info:", "help:", "attachment:"}, find: regexp.MustCompile(`(?i)\b(?:man|woman|mhe|gnus|rmail|bbdb|irc|mu4e|notmuch|docview|org-protocol|bookmark|eww|w3m|info|help|attachment)(:)[^\s:]`), at: 1},
	{name: "Lisp for the agenda", signs: []string{"%%("}, find: regexp.MustCompile(`%%(\()`), at: 1},
	{name: "a macro", signs: []string{"{{{"}, find: regexp.MustCompile(`\{\{(\{)`), at: 1},
	{name: "text for one form of export", signs: []string{"@@"}, find: regexp.MustCompile(`@(@[A-Za-z0-9-]+:)`), at: 1},
	{name: "a footnote with a name", signs: []string{"[fn:"}, find: regexp.MustCompile(`(?i)\[fn(:[^:\]])`), at: 1},
	{name: "a target", signs: []string{"<<"}, find: regexp.MustCompile(`<(<[^<>\n]+>>)`), at: 1},
	{name: "a timestamp that is none", signs: []string{"<"}, find: regexp.MustCompile(`<(\d+-\d+-\d+)`), at: 1, fine: beginsStamp},
	{name: "a timestamp that is none", signs: []string{"["}, find: regexp.MustCompile(`\[(\d+-\d+-\d+)`), at: 1, fine: beginsStamp},
	{name: "a column of a table too wide to show", signs: []string{"<"}, find: regexp.MustCompile(`<([lrcLRC]?\d{4,}>)`), at: 1},
	{name: "the end of a block of TeX", signs: []string{`\end`}, find: regexp.MustCompile(`\\(end[ \t]*\{)`), at: 1, fine: endsEnvironment},
	{name: "a link that names a program by its address", signs: []string{"file:/", "./"}, find: regexp.MustCompile(`(?i)(?:file:|\.)/+((?:-|[a-z0-9-]{2,}):)`), at: 1},
}

// mayBe reports whether a text in lower case can hold the construct.
func (c *construct) mayBe(lower string) bool {
	return slices.ContainsFunc(c.signs, func(sign string) bool { return strings.Contains(lower, sign) })
}

// part makes the construct text.
func (c *construct) part(text string) string {
	var b strings.Builder
	for {
		m := c.find.FindStringSubmatchIndex(text)
		if m == nil {
			b.WriteString(text)
			return b.String()
		}
		at := m[2*c.at]
		b.WriteString(text[:at])
		if c.fine == nil || !c.fine(text[m[0]:]) {
			b.WriteString(apart)
		}
		text = text[at:]
	}
}

// acts returns what of a text the construct acts on, each with a little of what follows.
func (c *construct) acts(text string) []string {
	var out []string
	for {
		m := c.find.FindStringSubmatchIndex(text)
		if m == nil {
			return out
		}
		if c.fine == nil || !c.fine(text[m[0]:]) {
			const more = 40
			found, _, _ := strings.Cut(text[m[0]:min(len(text), m[1]+more)], "\n")
			out = append(out, found)
		}
		text = text[m[2*c.at]:]
	}
}

// stamp is a timestamp as Org writes them.
var stamp = regexp.MustCompile(`^[<\[](\d{4}-\d\d-\d\d)(?: +[^\s\d+>\]-]+)?(?: +(\d{1,2}:\d\d)(?:-(\d{1,2}:\d\d))?)?((?: +(?:\+|\+\+|\.\+|-|--)\d+[hdwmy](?:/\d+[hdwmy])?)*) *[>\]]`)

// firstYear is the first year that a timestamp may name: Emacs computes with none
// before it on every system.
const firstYear = 1900

// lastYear is the last one.
const lastYear = 2999

// isStamp reports a timestamp that is one: its date and its times exist, and its
// repeaters and warnings are between one and 9999 units.
func isStamp(text string) bool { return beginsStamp(text) && stamp.FindString(text) == text }

// longestStamp is more than a timestamp has in bytes.
const longestStamp = 120

// beginsStamp reports a text that begins with such a timestamp.
func beginsStamp(text string) bool {
	m := stamp.FindStringSubmatch(text[:min(len(text), longestStamp)])
	if m == nil {
		return false
	}
	date, err := time.Parse(time.DateOnly, m[1])
	if err != nil || date.Year() < firstYear || date.Year() > lastYear {
		return false
	}
	for _, clock := range m[2:4] {
		if _, err := time.Parse("15:04", clock); clock != "" && err != nil {
			return false
		}
	}
	for _, count := range strings.FieldsFunc(m[4], func(r rune) bool { return r < '0' || r > '9' }) {
		if len(count) > 4 || strings.Trim(count, "0") == "" {
			return false
		}
	}
	return true
}

// Date says why an agent may not schedule something for a date, nil where it may. What
// it is read as is up to package org.
func Date(when string) error {
	text := strings.TrimSpace(when)
	if n := len(text); n > 1 && strings.ContainsRune("<[", rune(text[0])) && strings.ContainsRune(">]", rune(text[n-1])) {
		text = text[1 : n-1]
	}
	if text == "" || isStamp("<"+strings.Join(strings.Fields(text), " ")+">") {
		return nil
	}
	return dateError(when)
}

// foreignStart is what a file begins with that Emacs opens as something else than Org,
// or in another encoding, whatever its name.
var foreignStart = regexp.MustCompile(`(?i)^\s*(?:#!|<\?xml|<!doctype|<html|BABYL OPTIONS:)`)
