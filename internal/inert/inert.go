// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package inert

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/fovea-memory/fovea/org"
	"github.com/fovea-memory/fovea/window"
)

// apart is put between the characters of what would act: Org's own way to have
// something read as text. It has no width.
const apart = "\u200b"

// What Emacs or Org act on wherever it stands in a line.
var acting = []struct {
	pattern *regexp.Regexp
	with    string
}{
	{regexp.MustCompile(`(?i)(local)( variables:)`), "${1}" + apart + "${2}"},              // variables of the file
	{regexp.MustCompile(`-\*-`), "-" + apart + "*-"},                                       // likewise, in its first line
	{regexp.MustCompile(`(?i)(elisp|shell|file\+sys|file\+emacs):`), "${1}" + apart + ":"}, // links that run something
	{regexp.MustCompile(`%%\(`), "%%" + apart + "("},                                       // Lisp that the agenda evaluates
	{regexp.MustCompile(`\{\{\{`), "{{" + apart + "{"},                                     // macros
}

var (
	codeWord   = regexp.MustCompile(`\S*[\[({]\S*`)
	codeInLine = regexp.MustCompile(`(?i)(src|call)_`)
	formula    = regexp.MustCompile(`(\|[ \t]*:?)=`)
	headlines  = regexp.MustCompile(`^\*+(?:\s|$)`)
	blockLine  = regexp.MustCompile(`(?i)^#\+(begin|end)_(quote|verse|center|example|src|comment)(?:[ \t]+([A-Za-z0-9_+-]+)(?:[ \t].*)?)?[ \t]*$`)
	activeLine = regexp.MustCompile(`(?i)^(?:#\+|:\S+:|SCHEDULED:|DEADLINE:|CLOSED:|CLOCK:)`)
)

// Text makes the text that an agent wrote for below a headline one that nothing
// in Emacs or Org acts on. What would be a headline is indented; a keyword, a drawer,
// a property, a planning line or a clock becomes verbatim text, with a colon before
// it; blocks of code lose what stands behind their language; and a character without
// width parts what would be a link that runs something, variables of the file, Lisp
// for the agenda, code inside a line, a macro or a formula of a table. Control
// characters become U+FFFD. Any other text stays as it is, and so does text that is
// inert already.
func Text(text string) string {
	lines := strings.Split(words(text), "\n")
	for i, line := range lines {
		lines[i] = oneLine(line)
	}
	return strings.Join(lines, "\n")
}

// Line is Text for a title or the value of a property, which is one line.
func Line(text string) string {
	return strings.TrimSpace(strings.ReplaceAll(words(text), "\n", " "))
}

func words(text string) string {
	text = strings.ReplaceAll(strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\r\n", "\n"), "\r", "\n")
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return '\uFFFD'
		}
		return r
	}, text)
	for _, a := range acting {
		for a.pattern.MatchString(text) { // one may overlap the next
			text = a.pattern.ReplaceAllString(text, a.with)
		}
	}
	return codeWord.ReplaceAllStringFunc(text, func(word string) string {
		return codeInLine.ReplaceAllString(word, "${1}"+apart+"_")
	})
}

func oneLine(line string) string {
	start := strings.TrimLeft(line, " \t")
	block := blockLine.FindStringSubmatch(start)
	switch {
	case headlines.MatchString(line):
		return " " + line
	case block != nil && strings.EqualFold(block[1]+block[2], "beginsrc") && block[3] != "":
		return "#+" + block[1] + "_" + block[2] + " " + block[3]
	case block != nil:
		return "#+" + block[1] + "_" + block[2]
	case activeLine.MatchString(start):
		return ": " + start
	case strings.HasPrefix(start, "|"):
		return formula.ReplaceAllString(line, "${1}"+apart+"=")
	}
	return line
}

// The properties that an agent does not set: those that name a node or say where it
// came from, and those that Org acts on.
var (
	ownedProperties = []string{"ID", "CUSTOM_ID", "AUTHOR", "SESSION", "CREATED", "TRUST"}
	actingPrefixes  = []string{"HEADER-ARGS", "EXPORT_", "ATTACH_DIR"}
	actingKeys      = []string{"ARCHIVE", "DIR", "TABLE_EXPORT_FILE", "TABLE_EXPORT_FORMAT", "CRYPTKEY", "TANGLE", "EVAL", "VAR", "COLUMNS", "LOGGING"}
)

// Property returns why an agent may not set a property, nil where it may.
func Property(key string) error {
	key = strings.TrimSuffix(strings.ToUpper(strings.TrimSpace(key)), "+")
	begins := func(prefix string) bool { return strings.HasPrefix(key, prefix) }
	switch {
	case slices.Contains(ownedProperties, key):
		return fmt.Errorf("property %s is not an agent's to set; Fovea does", key)
	case slices.Contains(actingKeys, key) || slices.ContainsFunc(actingPrefixes, begins):
		return fmt.Errorf("property %s is not an agent's to set; Org acts on it", key)
	}
	return nil
}

// acts are the elements that Org acts on, or reads as more than text.
var acts = map[org.Type]bool{
	org.TypeHeadline: true, org.TypeInlinetask: true, org.TypeDrawer: true, org.TypeDynamicBlock: true, org.TypePropertyDrawer: true,
	org.TypeSpecialBlock: true, org.TypeBabelCall: true, org.TypeClock: true, org.TypeDiarySexp: true, org.TypeExportBlock: true,
	org.TypeKeyword: true, org.TypeNodeProperty: true, org.TypePlanning: true,
}

// Check parses a text as it is to stand below a headline and returns what in it
// would act, nil for nothing. Text that Text made never does.
func Check(text string) error {
	doc := org.Parse("* x\n"+text, nil)
	if len(doc.Headlines) != 1 || len(doc.Keywords) > 0 {
		return errors.New("it would be read as more than the text of one note")
	}
	tree := doc.Elements(0)
	for i := range tree.Elements {
		el := &tree.Elements[i]
		if i > 0 && acts[el.Type] || el.Body != el.Start {
			return fmt.Errorf("it would be read as a %s", el.Type)
		}
	}
	for l := range doc.Links(0) {
		switch strings.ToLower(l.Type) {
		case "elisp", "shell", "eshell", "file+sys", "file+emacs":
			return fmt.Errorf("it would be a link of type %s", l.Type)
		}
	}
	return nil
}

// errRecalled refuses what a window said.
var errRecalled = errors.New("it is text that was recalled; keep what is new, in words of its own")

// Unrecalled cuts out of a text what Fovea itself has answered with, between its
// fences, so that it is not remembered again. A text that has a window without
// fences, or nothing besides recalled text, is refused.
func Unrecalled(text string) (string, error) {
	var b strings.Builder
	rest := text
	for {
		before, after, found := strings.Cut(rest, window.FenceNote+"\n")
		b.WriteString(before)
		if !found {
			break
		}
		fence, inside, _ := strings.Cut(after, "\n")
		if len(fence) < 3 || strings.Trim(fence, "`") != "" {
			rest = after
			continue
		}
		_, rest, found = strings.Cut("\n"+inside, "\n"+fence)
		if !found {
			break
		}
	}
	kept := b.String()
	if strings.Contains(kept, strings.TrimSpace(window.Notice)) || strings.TrimSpace(kept) == "" && strings.TrimSpace(text) != "" {
		return "", errRecalled
	}
	return kept, nil
}
