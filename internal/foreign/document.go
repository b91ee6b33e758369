// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package foreign

import (
	"crypto/sha256"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/fovea-memory/fovea/internal/inert"
	"github.com/fovea-memory/fovea/org"
)

// Properties that an imported note carries, so that the next import knows it.
const (
	PropertyFrom   = "IMPORTED_FROM"   // kind, label and source
	PropertySource = "IMPORTED_SOURCE" // Digest of the source
	PropertyText   = "IMPORTED_TEXT"   // TextDigest of the text when it was imported
)

// Org returns the text of the document as a file, or of an entry as a headline. from is the value of
// PropertyFrom.
func (d *Document) Org(from string) string {
	tags := slices.Compact(slices.Sorted(slices.Values(d.Tags)))
	var b strings.Builder
	if d.Entry {
		b.WriteString("* " + headline(d.Title))
		if len(tags) > 0 {
			b.WriteString(" :" + strings.Join(tags, ":") + ":")
		}
		b.WriteString("\n")
	}
	b.WriteString(":PROPERTIES:\n:ID: " + d.ID + "\n")
	for _, p := range append([][2]string{{PropertyFrom, inert.Line(from)}, {PropertySource, d.Digest}}, d.Properties...) {
		fmt.Fprintf(&b, ":%s: %s\n", p[0], p[1])
	}
	b.WriteString(":END:\n")
	if !d.Entry {
		b.WriteString("#+title: " + inert.Line(d.Title) + "\n")
		if len(tags) > 0 {
			b.WriteString("#+filetags: :" + strings.Join(tags, ":") + ":\n")
		}
		for _, words := range d.Words {
			b.WriteString("#+TODO: " + words + "\n")
		}
		if d.Body != "" {
			b.WriteString("\n")
		}
	}
	b.WriteString(d.Body)
	text := b.String()
	sum := fmt.Sprintf(":%s: %s\n:END:\n", PropertyText, TextDigest(text))
	return strings.Replace(text, ":END:\n", sum, 1)
}

// headline returns a title that does not give its headline an active tag.
func headline(title string) string {
	words := strings.Split(inert.Line(title), ":")
	for i, word := range words {
		if inert.Lookup("tag", word).Kind != "" && i > 0 && i < len(words)-1 {
			words[i] += "\u200b"
		}
	}
	return strings.Join(words, ":")
}

// TextDigest returns the SHA-256, in hex, of a text without its line PropertyText. It shows whether
// an imported note has changed. O(text).
func TextDigest(text string) string {
	if before, rest, has := strings.Cut(text, "\n:"+PropertyText+":"); has {
		_, rest, _ = strings.Cut(rest, "\n")
		text = before + "\n" + rest
	}
	return fmt.Sprintf("%.16x", sha256.Sum256([]byte(text)))
}

// maxName is the maximum length in bytes of a new name of a file or folder. File systems allow 255,
// and names of temporary files are longer than those of their files.
const maxName = 200

// Fit returns a path in which no name is too long for a file system. It truncates a longer name and
// adds a digest of the whole name before the extension.
func Fit(at string) string {
	names := strings.Split(at, "/")
	for i, name := range names {
		end := path.Ext(name)
		if len(end) > 16 {
			end = ""
		}
		if len(name) > maxName {
			names[i] = distinct(cutText(name, maxName-9-len(end)), name) + end
		}
	}
	return strings.Join(names, "/")
}

// Fold returns the same text for all paths that some file systems treat as equal: those that differ
// only in case or in how an accent is composed.
func Fold(at string) string { return norm.NFC.String(strings.ToLower(norm.NFC.String(at))) }

// distinct returns stem with a digest of a longer name.
func distinct(stem, of string) string {
	return fmt.Sprintf("%s-%x", stem, sha256.Sum256([]byte(of)))[:len(stem)+9]
}

// Distinct returns another path, which ends with .org, for a note whose path is taken. It contains a
// digest of the source.
func Distinct(at, source string) string {
	return distinct(strings.TrimSuffix(at, ".org"), source) + ".org"
}

// wordsKey is the key of front matter with the TODO words of a file, a list of sequences in the form
// of #+TODO:.
const wordsKey = "todo_words"

// Bounds of the TODO words of a file.
const (
	maxSequences = 16
	maxSequence  = 512 // bytes of one
)

// todoWord matches a word of a sequence, after removing its selection key and the marks that make
// Emacs ask for a note.
var todoWord = regexp.MustCompile(`^[\pL\pN_@#%!?.-]+$`)

// words adopts the TODO words that a file declares, so that they are also keywords of headlines here.
func (m *note) words(values []string) {
	for _, value := range values {
		words := strings.Fields(value)
		for i, word := range words {
			words[i], _, _ = strings.Cut(word, "(")
		}
		bad := func(word string) bool { return word != "|" && !todoWord.MatchString(word) }
		if len(words) == 0 || len(value) > maxSequence || len(m.Words) == maxSequences || slices.ContainsFunc(words, bad) {
			m.problem("%s holds what are no TODO words, left out", wordsKey)
			continue
		}
		m.Words = append(m.Words, strings.Join(words, " "))
	}
}

// declaredWords returns the sequences of TODO words that an Org file declares.
func declaredWords(d *org.Document) (sequences []string) {
	for _, k := range d.Settings {
		switch k.Key {
		case "TODO", "SEQ_TODO", "TYP_TODO":
			sequences = append(sequences, k.Value)
		}
	}
	return sequences
}
