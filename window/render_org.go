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
		return "# " + Notice
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
	inlineID := e.compact && !e.focus && (e.level < Full || len(properties(e.item)) == 0)
	b.WriteString(" " + orgTitle(titleOf(e.item, e.level)))
	if inlineID {
		b.WriteString(" <<" + orgID(e.item.ID) + ">>")
	}
	if tags := e.tags(); len(tags) > 0 {
		b.WriteString(" :" + strings.Join(tags, ":") + ":")
	}
	b.WriteByte('\n')
	if e.level == Full {
		if lines := planning(e.item); len(lines) > 0 {
			b.WriteString(strings.Join(lines, " ") + "\n")
		}
	}
	if !inlineID {
		orgDrawer(&b, e)
	}
	switch body := e.body(); {
	case body == "":
	case e.level == Snippet:
		for line := range strings.SplitSeq(body, "\n") {
			b.WriteString(": " + singleLine(line) + "\n")
		}
	default:
		b.WriteString("#+begin_example\n")
		escapeOrg(&b, body)
		b.WriteString("\n#+end_example\n")
	}
	return b.String()
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

var targetEscaper = strings.NewReplacer("<", "%3C", ">", "%3E")

// orgID escapes an id so that it cannot end the target that encloses it.
func orgID(id string) string {
	return targetEscaper.Replace(singleLine(id))
}

// zeroWidthSpace is the character that Org itself recommends to break up markup.
const zeroWidthSpace = "\u200b"

var (
	trailingTags  = regexp.MustCompile(`(^|[ \t]):[\p{L}\p{N}_@#%:]+:$`)
	leadingMarkup = regexp.MustCompile(`^(\[#[^]]*\]|[*]+( |$)|[\p{Lu}\p{N}_-]+( |$))`)
)

// orgTitle escapes a title so that no part of it is a keyword, priority or tag.
func orgTitle(title string) string {
	if m := leadingMarkup.FindString(title); m != "" && isOrgMarkup(strings.TrimSpace(m)) {
		title = zeroWidthSpace + title
	}
	title = strings.ReplaceAll(title, "<<", "<"+zeroWidthSpace+"<")
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

// escapeOrg writes body with a comma before each line that would be a headline, a
// keyword or a block delimiter, as org-escape-code-in-string does. Org removes the
// comma again.
func escapeOrg(b *strings.Builder, body string) {
	for {
		line, rest, more := strings.Cut(body, "\n")
		text := strings.TrimLeft(line, " \t")
		unescaped := strings.TrimLeft(text, ",")
		if strings.HasPrefix(unescaped, "*") || strings.HasPrefix(unescaped, "#+") {
			b.WriteString(line[:len(line)-len(text)] + ",")
			line = text
		}
		b.WriteString(line)
		if !more {
			return
		}
		b.WriteByte('\n')
		body = rest
	}
}
