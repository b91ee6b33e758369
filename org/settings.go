// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import (
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/fovea-memory/fovea/document"
)

// settingKeys are the keys of in-buffer settings. Other keyword lines are content.
var settingKeys = [...]string{
	"ARCHIVE", "AUTHOR", "CATEGORY", "COLUMNS", "CONSTANTS", "DATE", "DESCRIPTION", "EMAIL", "FILETAGS",
	"KEYWORDS", "LANGUAGE", "LINK", "OPTIONS", "PRIORITIES", "PROPERTY", "SEQ_TODO", "SETUPFILE",
	"STARTUP", "SUBTITLE", "TAGS", "TITLE", "TODO", "TYP_TODO",
}

// setting splits a line without leading blanks into the upper-case key of a setting
// and its value. The key is "" if the line is not a setting. A key extends to the
// last colon of the first word, so #+TITLE:a:b is not a title.
func setting(text string) (key, value string) {
	name, value := keyword(text)
	for _, key := range settingKeys {
		if equalFold(key, name) {
			return key, value
		}
	}
	return "", ""
}

// applySettings applies the settings of the file, its setup files and the defaults.
// It returns every TODO keyword with whether it is a done keyword.
func (d *Document) applySettings(opts *Options) map[string]bool {
	g := settingsCollector{doc: d}
	if opts != nil && opts.Setup != nil {
		g.setup, g.seen = opts.Setup, map[string]bool{}
	}
	g.collect(d.Keywords, "", true)
	own := TodoKeywords{}
	own.readSettings(g.settings)
	if opts != nil && !opts.Defaults.IsZero() {
		d.defaults = opts.Defaults
		g.settings = append(d.defaults.applicable(g.settings), g.settings...)
	}
	d.Settings, d.ownTodo = g.settings, own

	var titles []string
	for _, k := range d.Keywords {
		if k.Key == "TITLE" && k.Value != "" {
			titles = append(titles, k.Value)
		}
	}
	d.Title = strings.Join(titles, " ")
	for _, k := range g.settings {
		switch k.Key {
		case "CATEGORY":
			d.Category = k.Value
		case "FILETAGS":
			d.addFileTags(k.Value)
		case "PROPERTY":
			if key, rest := cutBlank(k.Value); key != "" {
				d.FileProperties = append(d.FileProperties, Property{key, trimBlanks(rest), k.Start, k.End})
			}
		case "LINK":
			d.addAbbreviation(k.Value)
		}
	}
	d.TagGroups = tagGroups(g.settings)
	d.Todo.readSettings(g.settings)
	return d.Todo.doneSet()
}

// addFileTags adds the tags of a #+FILETAGS value: words of colon-separated tags. Two
// adjacent colons in a word enclose an empty tag.
func (d *Document) addFileTags(value string) {
	for _, word := range strings.FieldsFunc(value, isFieldSpace) {
		word = strings.TrimSuffix(strings.TrimPrefix(word, ":"), ":")
		if word != "" {
			d.FileTags = append(d.FileTags, strings.Split(word, ":")...)
		}
	}
}

// addAbbreviation adds the value of a #+LINK line: a link type, which is a word or
// quoted words, and its expansion.
func (d *Document) addAbbreviation(value string) {
	name, rest := cutBlank(value)
	if quoted, isQuoted := strings.CutPrefix(value, `"`); isQuoted {
		if inner, after, closed := strings.Cut(quoted, `"`); closed {
			name, rest = inner, after
		}
	}
	if rest = trimBlanks(rest); name == "" || rest == "" {
		return
	}
	if d.LinkAbbreviations == nil {
		d.LinkAbbreviations = map[string]string{}
	}
	d.LinkAbbreviations[name] = rest
}

// readSettings adds the keyword sequences in settings, grouped by key regardless of
// the order of the lines.
func (t *TodoKeywords) readSettings(settings []Keyword) {
	found := false
	for _, key := range [...]string{"TYP_TODO", "TODO", "SEQ_TODO"} {
		for _, k := range settings {
			if k.Key == key {
				found = true
				t.addSequence(k.Value)
			}
		}
	}
	if !found {
		*t = TodoKeywords{All: []string{"TODO", "DONE"}, Done: []string{"DONE"}}
	}
}

// doneSet returns every keyword with whether it is a done keyword.
func (t *TodoKeywords) doneSet() map[string]bool {
	done := make(map[string]bool, len(t.All))
	for _, word := range t.All {
		done[word] = false
	}
	for _, word := range t.Done {
		done[word] = true
	}
	return done
}

// addSequence adds one sequence. A bar separates the done keywords from the others;
// without a bar, the last keyword is the done keyword.
func (t *TodoKeywords) addSequence(sequence string) {
	first, bar := len(t.All), false
	for _, word := range strings.FieldsFunc(sequence, isFieldSpace) {
		if word == "|" {
			bar = true
			continue
		}
		word = withoutFastKey(word)
		if word == "" {
			continue
		}
		t.All = append(t.All, word)
		if bar {
			t.Done = append(t.Done, word)
		}
	}
	if !bar && len(t.All) > first {
		t.Done = append(t.Done, t.All[len(t.All)-1])
	}
}

// withoutFastKey removes the fast key and the logging marks from a keyword:
// WAIT(w@/!).
func withoutFastKey(word string) string {
	if strings.HasSuffix(word, ")") {
		word, _, _ = strings.Cut(word, "(")
	}
	return word
}

// isFieldSpace reports whether r separates words in a setting.
func isFieldSpace(r rune) bool { return r < utf8.RuneSelf && isSpaceByte(byte(r)) }

// settingsCollector collects the settings of a document and of its setup files in the
// order in which Org reads them.
type settingsCollector struct {
	doc      *Document
	setup    func(name string) (string, bool) // nil to ignore setup files
	seen     map[string]bool
	settings []Keyword
}

// collect adds keywords and, at each SETUPFILE, those of that file. Names in a setup
// file are relative to its folder. Only the document's own lines have offsets and
// diagnostics.
func (g *settingsCollector) collect(keywords []Keyword, folder string, own bool) {
	for _, k := range keywords {
		if k.Key != "SETUPFILE" || g.setup == nil {
			g.doc.missingSetup = g.doc.missingSetup || k.Key == "SETUPFILE"
			if !own {
				k.Start, k.End = -1, -1
			}
			g.settings = append(g.settings, k)
			continue
		}
		name := strings.Trim(k.Value, `"`)
		if folder != "" && !path.IsAbs(name) && !strings.Contains(name, "://") {
			name = path.Join(folder, name)
		}
		if name == "" || g.seen[name] {
			continue
		}
		g.seen[name] = true
		g.doc.SetupFiles = append(g.doc.SetupFiles, name)
		text, ok := g.setup(name)
		if !ok {
			g.doc.missingSetup = true
			if own {
				g.doc.addDiagnostic(k.Start, "setup file was not found inside the memex, so its settings do not apply")
			}
			continue
		}
		s := scanner{src: text}
		s.scan(len(text) - len(strings.TrimPrefix(text, bom)))
		for i := range s.keywords { // copied, so that a few words do not retain a whole file
			s.keywords[i].Value = strings.Clone(s.keywords[i].Value)
		}
		inner := path.Dir(name)
		if inner == "." {
			inner = ""
		}
		g.collect(s.keywords, inner, false)
	}
}

// SetupPath returns the path, relative to the memex, of a file that a document names in
// #+SETUPFILE, and whether it is inside the memex. Absolute paths, paths in a home folder
// and URLs are not: the meaning of a document must not depend on the machine.
func SetupPath(from, name string) (string, bool) {
	if name == "" || name[0] == '~' || path.IsAbs(name) || strings.Contains(name, "://") || strings.Contains(name, "\x00") {
		return "", false
	}
	p := path.Join(path.Dir(from), name)
	return p, p != "." && p != ".." && !strings.HasPrefix(p, "../") && len(p) <= document.MaxPath
}

// setupPaths returns the sorted setup files of a parsed document, without itself.
func setupPaths(from string, doc *Document) []string {
	var out []string
	for _, name := range doc.SetupFiles {
		if p, ok := SetupPath(from, name); ok && p != from {
			out = append(out, p)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
