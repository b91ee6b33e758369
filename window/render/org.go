// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package render

import (
	"fmt"
	"strings"

	"github.com/fovea-memory/fovea/internal/text"
	"github.com/fovea-memory/fovea/window/choose"
)

// orgRenderer renders Org that parses again: one headline for each part.
type orgRenderer struct{}

func (orgRenderer) Head(h Heading) string { return h.text("# ") }
func (orgRenderer) Separator() string     { return "" }
func (orgRenderer) Tail() string          { return "" }

func (orgRenderer) Remark(text string) string { return "# " + text + "\n" }

func (orgRenderer) Piece(e *Entry) string {
	body := e.body()
	var b strings.Builder
	b.Grow(len(body) + 256) // and the heading
	b.WriteString(strings.Repeat("*", e.Stars))
	if todo := text.Keyword(e.Item.Todo); todo != "" {
		b.WriteString(" " + todo)
	}
	if p := text.Priority(e.Item.Priority); p != "" {
		b.WriteString(" [#" + p + "]")
	}
	b.WriteString(" " + text.OrgTitle(e.label()))
	if tags := e.tags(); len(tags) > 0 {
		b.WriteString(" :" + strings.Join(tags, ":") + ":")
	}
	b.WriteByte('\n')
	if e.Level == choose.Full {
		if lines := planning(e.Item); len(lines) > 0 {
			b.WriteString(strings.Join(lines, " ") + "\n")
		}
	}
	if e.Compact {
		orgFacts(&b, e)
	} else {
		orgDrawer(&b, e)
	}
	for _, line := range text.Lines(body) {
		text.WriteOrgLine(&b, line)
	}
	return b.String()
}

// orgFacts writes the facts of an entry as a comment and, at level full, its properties.
func orgFacts(b *strings.Builder, e *Entry) {
	if len(e.Facts) > 0 {
		b.WriteString("# " + strings.Join(e.Facts, ", ") + "\n")
	}
	if e.Level == choose.Full {
		if line := shortProperties(e.Item); line != "" {
			b.WriteString(" " + text.OrgText(line) + "\n")
		}
	}
}

// orgDrawer writes the property drawer: the id and, at level full, the properties.
func orgDrawer(b *strings.Builder, e *Entry) {
	b.WriteString(":PROPERTIES:\n:ID: " + text.Line(e.Item.ID) + "\n")
	if e.Similar {
		fmt.Fprintf(b, ":SEMANTIC_SCORE: %.2f\n", e.Score)
	}
	if e.Level == choose.Full {
		for _, p := range properties(e.Item) {
			b.WriteString(strings.TrimRight(":"+p[0]+": "+p[1], " ") + "\n")
		}
	}
	b.WriteString(":END:\n")
}
