// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import (
	"fmt"
	"regexp"
	"strings"
)

// orgRenderer renders Org that parses again: one headline for each part.
type orgRenderer struct{}

func (orgRenderer) head(h heading) string {
	if h.policy != PolicyFoveal {
		return "# " + h.notice()
	}
	if h.noProjects {
		return fovealHead + fovealEmpty
	}
	return fovealHead
}

func (orgRenderer) separator() string { return "" }
func (orgRenderer) tail() string      { return "" }

func (orgRenderer) remark(text string) string { return "# " + text + "\n" }

func (orgRenderer) piece(e *entry) string {
	var b strings.Builder
	b.WriteString(strings.Repeat("*", e.stars))
	if todo := keyword(e.item.Todo); todo != "" {
		b.WriteString(" " + todo)
	}
	if p := priority(e.item.Priority); p != "" {
		b.WriteString(" [#" + p + "]")
	}
	b.WriteString(" " + orgTitle(e.label()))
	if tags := e.tags(); len(tags) > 0 {
		b.WriteString(" :" + strings.Join(tags, ":") + ":")
	}
	b.WriteByte('\n')
	if e.level == Full {
		if lines := planning(e.item); len(lines) > 0 {
			b.WriteString(strings.Join(lines, " ") + "\n")
		}
	}
	if e.compact {
		orgFacts(&b, e)
	} else {
		orgDrawer(&b, e)
	}
	for _, line := range linesOf(e.body()) {
		writeOrgLine(&b, line)
	}
	return b.String()
}

// orgFacts writes the facts of an entry as a comment and, at level full, its properties.
func orgFacts(b *strings.Builder, e *entry) {
	if len(e.facts) > 0 {
		b.WriteString("# " + strings.Join(e.facts, ", ") + "\n")
	}
	if e.level == Full {
		if line := shortProperties(e.item); line != "" {
			b.WriteString(" " + orgText(line) + "\n")
		}
	}
}

// objectBreaker breaks up the beginnings of objects that act. Of a run of equal signs it
// breaks every second pair.
var objectBreaker = strings.NewReplacer("src_", "src"+zeroWidthSpace+"_", "call_", "call"+zeroWidthSpace+"_", "{{", "{"+zeroWidthSpace+"{",
	"<<", "<"+zeroWidthSpace+"<", "@@", "@"+zeroWidthSpace+"@", "[cite", "["+zeroWidthSpace+"cite")

// orgText escapes a text within a line so that Org reads no object in it that acts.
func orgText(text string) string {
	if !strings.ContainsAny(text, "{[(<@") {
		return text
	}
	return objectBreaker.Replace(objectBreaker.Replace(text))
}

// orgDrawer writes the property drawer: the id and, at level full, the properties.
func orgDrawer(b *strings.Builder, e *entry) {
	b.WriteString(":PROPERTIES:\n:ID: " + singleLine(e.item.ID) + "\n")
	if e.similar {
		fmt.Fprintf(b, ":SEMANTIC_SCORE: %.2f\n", e.score)
	}
	if e.level == Full {
		for _, p := range properties(e.item) {
			b.WriteString(strings.TrimRight(":"+p[0]+": "+p[1], " ") + "\n")
		}
	}
	b.WriteString(":END:\n")
}

// zeroWidthSpace is the character that Org itself recommends to break up markup.
const zeroWidthSpace = "\u200b"

var (
	trailingTags  = regexp.MustCompile(`(^|[ \t]):[\p{L}\p{N}_@#%:]+:$`)
	leadingMarkup = regexp.MustCompile(`^(\[#[^]]*\]|[*]+( |$)|[\p{Lu}\p{N}_-]+( |$))`)
)

// orgTitle escapes a title so that no part of it is a keyword, a priority, a tag or an
// object that acts.
func orgTitle(title string) string {
	if m := leadingMarkup.FindString(title); m != "" && isOrgMarkup(strings.TrimSpace(m)) {
		title = zeroWidthSpace + title
	}
	title = orgText(title)
	if strings.HasSuffix(title, ":") && trailingTags.MatchString(title) {
		title += zeroWidthSpace
	}
	return title
}

// isOrgMarkup reports whether Org would not read the first word of a title as text.
func isOrgMarkup(word string) bool {
	switch word {
	case "TODO", "DONE", "COMMENT":
		return true
	}
	return word[0] == '[' || word[0] == '*'
}

// writeOrgLine writes a line of a body after a blank, so that no remembered text begins a
// line. A line on which Org would act is fixed-width text.
func writeOrgLine(b *strings.Builder, line string) {
	if line != "" {
		b.WriteByte(' ')
		if actsInOrg(line) {
			b.WriteString(": ")
		}
		b.WriteString(line)
	}
	b.WriteByte('\n')
}

// orgActions are beginnings of objects that run code, include or link something when Org
// exports or opens a text.
var orgActions = []string{"src_", "call_", "{{{", "<<", "elisp:", "shell:", "%%(", ":=", "@@", "[cite"}

// actsInOrg reports whether Org would take an indented line for something else than text:
// a keyword, a block, a drawer, an environment, planning, or an object that acts.
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
	for _, s := range orgActions {
		if strings.Contains(line, s) {
			return true
		}
	}
	return false
}

var planningKeywords = []string{"SCHEDULED:", "DEADLINE:", "CLOSED:", "CLOCK:"}
