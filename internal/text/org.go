// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package text

import (
	"regexp"
	"slices"
	"strings"
)

// zeroWidthSpace is the character that Org itself recommends to break up markup.
const zeroWidthSpace = "\u200b"

var (
	trailingTags  = regexp.MustCompile(`(^|[ \t]):[\p{L}\p{N}_@#%:]+:$`)
	leadingMarkup = regexp.MustCompile(`^(\[#[^]]*\]|[*]+( |$)|[\p{Lu}\p{N}_-]+( |$))`)
)

// OrgTitle escapes keywords, priorities, tags and objects that act in a title.
func OrgTitle(title string) string {
	if title != "" && strings.IndexByte("TDC[*", title[0]) >= 0 { // most titles have none
		if m := leadingMarkup.FindString(title); m != "" && isOrgMarkup(strings.TrimSpace(m)) {
			title = zeroWidthSpace + title
		}
	}
	title = OrgText(title)
	if strings.HasSuffix(title, ":") && trailingTags.MatchString(title) {
		title += zeroWidthSpace
	}
	return title
}

// isOrgMarkup reports whether Org would read the first word of a title as markup.
func isOrgMarkup(word string) bool {
	switch word {
	case "TODO", "DONE", "COMMENT":
		return true
	}
	return word[0] == '[' || word[0] == '*'
}

// WriteOrgLine writes a line of a body after a blank, so that no remembered text begins a
// line. A line with active markup becomes fixed-width text.
func WriteOrgLine(b *strings.Builder, line string) {
	if line != "" {
		b.WriteByte(' ')
		if actsInOrg(line) {
			b.WriteString(": ")
		}
		b.WriteString(line)
	}
	b.WriteByte('\n')
}

// orgActions are the beginnings of objects that run code, or include or link something, when
// Org exports or opens a text.
var orgActions = []string{"src_", "call_", "{{{", "<<", "elisp:", "shell:", "%%(", ":=", "@@", "[cite"}

// actsInOrg reports whether Org would read an indented line as more than text: as a keyword,
// a block, a drawer, an environment or planning, or with an object that acts.
func actsInOrg(line string) bool {
	text := strings.TrimLeft(line, " \t")
	switch {
	case strings.HasPrefix(text, "#+"), strings.HasPrefix(text, "\\begin{"):
		return true
	case strings.HasPrefix(text, ":"):
		return text != ":" && !strings.HasPrefix(text, ": ") // that is fixed-width text already
	}
	for _, keyword := range planningKeywords {
		if len(text) >= len(keyword) && strings.EqualFold(text[:len(keyword)], keyword) {
			return true
		}
	}
	if !strings.ContainsAny(line, "_{<:%@[") { // every action contains one of these
		return false
	}
	return slices.ContainsFunc(orgActions, func(s string) bool { return strings.Contains(line, s) })
}

var planningKeywords = []string{"SCHEDULED:", "DEADLINE:", "CLOSED:", "CLOCK:"}

// objectBreaker breaks up the beginnings of objects that act. In a run of equal signs it
// breaks up every second pair.
var objectBreaker = strings.NewReplacer("src_", "src"+zeroWidthSpace+"_", "call_", "call"+zeroWidthSpace+"_", "{{", "{"+zeroWidthSpace+"{",
	"<<", "<"+zeroWidthSpace+"<", "@@", "@"+zeroWidthSpace+"@", "[cite", "["+zeroWidthSpace+"cite")

// OrgText escapes the objects that act in a text within a line.
func OrgText(text string) string {
	if !strings.ContainsAny(text, "{[(<@") {
		return text
	}
	return objectBreaker.Replace(objectBreaker.Replace(text))
}
