// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package foreign

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/internal/inert"
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

// headline returns a title that gives its headline no tag for which Emacs acts.
func headline(title string) string {
	words := strings.Split(inert.Line(title), ":")
	for i, word := range words {
		if inert.Tag(word) != nil && i > 0 && i < len(words)-1 {
			words[i] += "\u200b"
		}
	}
	return strings.Join(words, ":")
}

// TextDigest is the SHA-256, in hex, of a text without its line PropertyText. It shows whether an
// imported note has changed since. O(text).
func TextDigest(text string) string {
	h := sha256.New()
	dropped := false
	for line := range strings.Lines(text) {
		if !dropped && strings.HasPrefix(line, ":"+PropertyText+":") {
			dropped = true
			continue
		}
		_, _ = h.Write([]byte(line)) // a hash takes everything
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:16])
}
