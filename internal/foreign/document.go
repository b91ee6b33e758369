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
	PropertyText   = "IMPORTED_TEXT"   // what TextDigest gave for the text as it was imported
)

// Org returns the document as the text of a file, or an entry as that of a headline. from is the
// value of PropertyFrom.
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

// headline returns a title that gives its headline no tag that acts.
func headline(title string) string {
	words := strings.Split(inert.Line(title), ":")
	for i, word := range words {
		if inert.Lookup("tag", word).Kind != "" && i > 0 && i < len(words)-1 {
			words[i] += "\u200b"
		}
	}
	return strings.Join(words, ":")
}

// TextDigest is the SHA-256, in hex, of a text without its line PropertyText. It shows whether an
// imported note has changed since. O(text).
func TextDigest(text string) string {
	if before, rest, has := strings.Cut(text, "\n:"+PropertyText+":"); has {
		_, rest, _ = strings.Cut(rest, "\n")
		text = before + "\n" + rest
	}
	return fmt.Sprintf("%.16x", sha256.Sum256([]byte(text)))
}

// maxName is the longest name of a file or folder in bytes that is made here. File systems take
// 255, of which what is written beside a file until it is whole needs some.
const maxName = 200

// Fit returns a path in which no name is too long for a file system. It cuts a longer name and
// adds a digest of the whole name, before the ending.
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

// Fold returns one text for all paths that some file systems treat as the same: those that
// differ only in case or in how an accent is composed.
func Fold(at string) string { return norm.NFC.String(strings.ToLower(norm.NFC.String(at))) }

// distinct returns a name with a digest of what it is the name of.
func distinct(stem, of string) string {
	return fmt.Sprintf("%s-%x", stem, sha256.Sum256([]byte(of)))[:len(stem)+9]
}

// Distinct returns another path, which ends with .org, for a note whose path is taken: it has a
// digest of the source.
func Distinct(at, source string) string {
	return distinct(strings.TrimSuffix(at, ".org"), source) + ".org"
}

// wordsKey is the key of front matter with the TODO words of a file, a list of sequences as they
// stand after #+TODO: there.
const wordsKey = "todo_words"

// Bounds of the TODO words of a file.
const (
	maxSequences = 16
	maxSequence  = 512 // bytes of one
)

// todoWord is a word of a sequence. One with a letter to choose it by, or with marks that make
// Emacs ask for a note, is taken without them.
var todoWord = regexp.MustCompile(`^[\pL\pN_@#%!?.-]+$`)

// words takes the TODO words that a file declares, so that they are words of headlines here, too.
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
