// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package document

import (
	"strings"
	"unicode/utf8"
)

// Opaque is the format of files that are kept unparsed: one part, without fields.
type Opaque struct{}

// Owns reports true: any file can be kept unparsed.
func (Opaque) Owns(string) bool { return true }

// Outline returns one part with the joined contents.
func (Opaque) Outline(_ string, stored []Part, _ Files) *Outline {
	return &Outline{Parts: []Part{{Parent: -1, Type: TypeDocument, Content: Join(stored), Derived: &Derived{Opaque: true}, Line: 1}}}
}

// Merge merges text by lines; binary and encrypted files are one value.
func (Opaque) Merge(m *Merging, base, won, lost *Part, _ int, also ...Conflict) (Part, []Conflict) {
	f := Fields{Merging: m, Conflicts: append([]Conflict(nil), also...)}
	was, binary := "", false
	if base != nil {
		was = base.Content
	}
	for _, text := range []string{was, won.Content, lost.Content} {
		binary = binary || !utf8.ValidString(text) || strings.Contains(text, "\x00")
	}
	text := Pick(was, won.Content, lost.Content, func() string {
		if binary || m.Secret {
			return f.Field("text", was, won.Content, lost.Content)
		}
		return f.Lines("text", was, won.Content, lost.Content)
	})
	return Part{Type: TypeDocument, Content: text}, f.Conflicts
}

// Join returns the joined contents of parts. O(1) for a single part.
func Join(parts []Part) string {
	if len(parts) == 1 {
		return parts[0].Content
	}
	size := 0
	for i := range parts {
		size += len(parts[i].Content)
	}
	var b strings.Builder
	b.Grow(size)
	for i := range parts {
		b.WriteString(parts[i].Content)
	}
	return b.String()
}
