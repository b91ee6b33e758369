// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import (
	"fmt"
	"strings"

	"github.com/fovea-memory/fovea/internal/escape"
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
	if todo := escape.Keyword(e.item.Todo); todo != "" {
		b.WriteString(" " + todo)
	}
	if p := escape.Priority(e.item.Priority); p != "" {
		b.WriteString(" [#" + p + "]")
	}
	b.WriteString(" " + escape.OrgTitle(e.label()))
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
	for _, line := range escape.Lines(e.body()) {
		escape.WriteOrgLine(&b, line)
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
			b.WriteString(" " + escape.OrgText(line) + "\n")
		}
	}
}

// orgDrawer writes the property drawer: the id and, at level full, the properties.
func orgDrawer(b *strings.Builder, e *entry) {
	b.WriteString(":PROPERTIES:\n:ID: " + escape.Line(e.item.ID) + "\n")
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
