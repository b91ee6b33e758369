// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package inert

import (
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strings"
	"time"
)

// construct is a construct that Emacs or Org acts on anywhere in a text: in a title,
// property, body or code. Emacs finds it by searching instead of parsing.
type construct struct {
	name string
	// find has one group, before which the construct is broken up.
	find *regexp.Regexp
	// keywords are lower-case texts, one of which occurs in every match. They make the
	// regular expression unnecessary for most texts.
	keywords []string
	// harmless reports whether the match at the start of a text is inactive; nil means
	// that every match is active.
	harmless func(text string) bool
}

// constructs lists all constructs. Those on lines of their own are in activeElements.
var constructs = []construct{
	{name: "variables of the file", keywords: []string{"local variables:"}, find: regexp.MustCompile(`(?i)local variables(:)`)},
	{name: "variables of the file in its first line", keywords: []string{"-*-"}, find: regexp.MustCompile(`-(\*-)`)},
	{name: "a link that runs something", keywords: []string{"elisp:", "shell:", "file+sys:", "file+emacs:"},
		find: regexp.MustCompile(`(?i)(?:elisp|shell|file\+sys|file\+emacs)(:)`)},
	{name: "a link to a program", keywords: []string{"man:", "mhe:", "gnus:", "rmail:", "bbdb:", "irc:", "mu4e:", "notmuch:", "docview:", "org-protocol:",
		"bookmark:", "eww:", "w3m:", "info:", "help:", "attachment:"},
		find: regexp.MustCompile(`(?i)\b(?:man|woman|mhe|gnus|rmail|bbdb|irc|` +
			`mu4e|notmuch|docview|org-protocol|bookmark|eww|w3m|info|help|attachment)(:)[^\s:]`)},
	{name: "Lisp for the agenda", keywords: []string{"%%("}, find: regexp.MustCompile(`%%(\()`)},
	{name: "a macro", keywords: []string{"{{{"}, find: regexp.MustCompile(`\{\{(\{)`)},
	{name: "text for one form of export", keywords: []string{"@@"}, find: regexp.MustCompile(`@(@[A-Za-z0-9-]+:)`)},
	{name: "a footnote with a name", keywords: []string{"[fn:"}, find: regexp.MustCompile(`(?i)\[fn(:[^:\]])`)},
	{name: "a target", keywords: []string{"<<"}, find: regexp.MustCompile(`<(<[^<>\n]+>>)`)},
	{name: "a timestamp that is none", keywords: []string{"<"}, find: regexp.MustCompile(`<(\d+-\d+-\d+)`), harmless: startsWithStamp},
	{name: "a timestamp that is none", keywords: []string{"["}, find: regexp.MustCompile(`\[(\d+-\d+-\d+)`), harmless: startsWithStamp},
	{name: "a column of a table too wide to show", keywords: []string{"<"}, find: regexp.MustCompile(`<([lrcLRC]?\d{4,}>)`)},
	{name: "the end of a block of TeX", keywords: []string{`\end`}, find: regexp.MustCompile(`\\(end[ \t]*\{)`)},
	{name: "a link that names a program by its address", keywords: []string{"file:/", "./"},
		find: regexp.MustCompile(`(?i)(?:file:|\.)/+((?:-|[a-z0-9-]{2,}):)`)},
}

// mayContain reports whether a lower-case text may contain the construct.
func (c *construct) mayContain(lower string) bool {
	return slices.ContainsFunc(c.keywords, func(sign string) bool { return strings.Contains(lower, sign) })
}

// breakUp makes the construct inactive by a zero-width space inside it.
func (c *construct) breakUp(text string) string {
	var cuts []insertion
	for _, middle := range c.matches(text) {
		cuts = append(cuts, insertion{middle, zeroWidthSpace})
	}
	return insertAll(cuts, text)
}

// matches yields the active matches in a text, each with some of the text after it, and the offset at which to break it up.
func (c *construct) matches(text string) iter.Seq2[string, int] {
	return func(yield func(string, int) bool) {
		for from := 0; ; {
			rest := text[from:]
			m := c.find.FindStringSubmatchIndex(rest)
			if m == nil {
				return
			}
			from += m[2]
			const more = 40
			found, _, _ := strings.Cut(rest[m[0]:min(len(rest), m[1]+more)], "\n")
			if (c.harmless == nil || !c.harmless(rest[m[0]:])) && !yield(found, from) {
				return
			}
		}
	}
}

// stamp matches a timestamp in the form that Org writes.
var stamp = regexp.MustCompile(`^[<\[](\d{4}-\d\d-\d\d)(?: +[^\s\d+>\]-]+)?(?: +(\d{1,2}:\d\d)(?:-(\d{1,2}:\d\d))?)?` +
	`((?: +(?:\+|\+\+|\.\+|-|--)\d+[hdwmy](?:/\d+[hdwmy])?)*) *[>\]]`)

// firstYear is the first year allowed in a timestamp; Emacs cannot compute with earlier
// ones on every system.
const firstYear = 1900

// lastYear is the last year allowed in a timestamp.
const lastYear = 2999

// isStamp reports whether text is a valid timestamp: its date and times exist, and its
// repeaters and warnings are between one and 9999 units.
func isStamp(text string) bool { return startsWithStamp(text) && stamp.FindString(text) == text }

// maxStampLen is an upper bound for the length of a timestamp in bytes.
const maxStampLen = 120

// startsWithStamp reports whether text starts with a valid timestamp.
func startsWithStamp(text string) bool {
	m := stamp.FindStringSubmatch(text[:min(len(text), maxStampLen)])
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

// Date returns an error if agents may not schedule by a date. Package org parses the date.
func Date(when string) error {
	text := strings.TrimSpace(when)
	if n := len(text); n > 1 && strings.ContainsRune("<[", rune(text[0])) && strings.ContainsRune(">]", rune(text[n-1])) {
		text = text[1 : n-1]
	}
	if text == "" || isStamp("<"+strings.Join(strings.Fields(text), " ")+">") {
		return nil
	}
	return fmt.Errorf("%q is no date; write 2026-03-01, then perhaps 10:00, a repeater as +1w and a warning as -3d, from %d to %d", when, firstYear, lastYear)
}

// foreignStart matches the start of a file that Emacs opens in a mode other than Org, or
// in another encoding, whatever the name of the file.
var foreignStart = regexp.MustCompile(`(?i)^\s*(?:#!|<\?xml|<!doctype|<html|BABYL OPTIONS:)`)
