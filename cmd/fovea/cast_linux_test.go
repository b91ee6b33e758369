// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/xml"
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/internal/face"
	"github.com/fovea-memory/fovea/internal/foveatest"
)

// castFile is the picture of the README.
const castFile = "../../doc/undo.svg"

// castScript is what the picture shows: remarks and commands.
var castScript = []string{
	"# An agent, mint, gets it wrong twice.",
	`fovea remember "The boiler needs no service" --agent mint --under house.org`,
	"fovea edit Service --todo DONE --agent mint",
	`grep -A1 "TODO Service" house.org`,
	"# You keep working on the same note.",
	`fovea edit Service --append "Ask for the quiet fitter."`,
	"# One command takes back what mint did, and nothing else.",
	"fovea revert --author mint",
	`grep -A3 "TODO Service" house.org`,
}

// TestCast: the picture of the README is what a run of its commands prints, but for ids and
// digests. With -update it is drawn from this run.
func TestCast(t *testing.T) {
	s := newcomer(t)
	if _, err := s.run(t, "cp -r examples/memex ~/fovea-example && cd ~/fovea-example && fovea status"); err != nil {
		t.Fatal(err)
	}
	var c cast
	for _, line := range castScript {
		if strings.HasPrefix(line, "#") {
			c.show("remark", line, .8)
			continue
		}
		c.show("typed", "$ "+line, .6)
		out, err := s.run(t, line)
		if err != nil {
			t.Fatalf("$ %s\n%s%v", line, out, err)
		}
		for _, printed := range lines(out) {
			c.show(castClass(printed), printed, .1)
		}
		c.at += .6
	}
	for _, l := range c.lines {
		if utf8.RuneCountInString(l.text) > face.Columns {
			t.Errorf("%q has more than %d columns", l.text, face.Columns)
		}
	}
	got := c.svg()
	if err := xml.Unmarshal([]byte(got), new(struct{})); err != nil {
		t.Error(err)
	}
	if foveatest.Updating() {
		if err := os.WriteFile(castFile, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want := pageText(t, strings.TrimPrefix(castFile, "../../"))
	if diff := cmp.Diff(changing.ReplaceAllString(want, "*"), changing.ReplaceAllString(got, "*")); diff != "" {
		t.Errorf("go test -run TestCast -update draws it anew (-%s +this run):\n%s", castFile, diff)
	}
}

// castClass says how a printed line is coloured: what the agent made wrong, what is right again.
func castClass(line string) string {
	switch {
	case strings.Contains(line, "2028"):
		return "wrong"
	case strings.HasPrefix(line, "took back"), strings.Contains(line, "2027"), strings.HasPrefix(line, "Ask for"):
		return "right"
	}
	return "printed"
}

// cast is a terminal session, line by line.
type cast struct {
	lines []castLine
	at    float64 // seconds from the start
}

type castLine struct {
	class, text string
	at          float64
}

// show adds a line, and waits after it.
func (c *cast) show(class, text string, seconds float64) {
	c.lines = append(c.lines, castLine{class, text, c.at})
	c.at += seconds
}

// Sizes of the picture in pixels: a column is as wide as in the widest of the usual fonts.
const (
	castColumn = 9.9
	castRow    = 24
	castMargin = 20
)

// castStyle colours the picture for light and dark. Without motion all lines are there at once.
const castStyle = `
text { font-size: 16px; font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; white-space: pre }
text { fill: #1f2328; animation: come 1ms both }
rect { fill: #f6f8fa; stroke: #d0d7de }
.remark { fill: #59636e; font-style: italic } .typed { font-weight: 600 } .wrong { fill: #b31d28 } .right { fill: #116329 }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 } rect { fill: #161b22; stroke: #3d444d }
.remark { fill: #9ea7b3 } .wrong { fill: #ff938a } .right { fill: #7ee787 }
}
@keyframes come { from { opacity: 0 } to { opacity: 1 } }
@media (prefers-reduced-motion: reduce) { text { animation: none } }
`

// svg draws the session: each line comes at its time, and in the end all of them stand.
func (c *cast) svg() string {
	var b, all strings.Builder
	escape := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace
	for _, l := range c.lines {
		all.WriteString(escape(l.text) + "\n")
	}
	columns := float64(face.Columns)
	width, height := int(columns*castColumn)+2*castMargin, len(c.lines)*castRow+2*castMargin
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%[1]d" height="%[2]d"`, width, height)
	fmt.Fprintf(&b, ` role="img" aria-labelledby="title desc">`+"\n<title id=\"title\">Undo what one agent did</title>\n")
	fmt.Fprintf(&b, "<desc id=\"desc\">\n%s</desc>\n<style>%s</style>\n", all.String(), castStyle)
	fmt.Fprintf(&b, `<rect x=".5" y=".5" width="%d" height="%d" rx="8"/>`+"\n", width-1, height-1)
	for i, l := range c.lines {
		fmt.Fprintf(&b, `<text class="%s" x="%d" y="%d" xml:space="preserve" style="animation-delay:%.2fs">%s</text>`+"\n",
			l.class, castMargin, castMargin+castRow*i+17, l.at, escape(l.text))
	}
	b.WriteString("</svg>\n")
	return b.String()
}
