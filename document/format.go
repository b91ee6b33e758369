// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package document

import (
	"math/bits"
	"strings"
	"time"
	"unicode/utf8"
)

// Format reads and merges documents of one kind. A format is immutable and safe for any
// number of goroutines. A format whose files Fovea writes is an Editor. Checker and Linker
// are optional; callers test for them by a type assertion.
type Format interface {
	// Owns reports whether the file at a path is of this format.
	Owns(path string) bool
	// Outline reads a document. It uses the parents, types, attributes and contents of the
	// stored parts, which it may keep and change; a text that is read for the first time is
	// one part. The result has the contents of the stored parts in the same order, perhaps
	// divided differently. Strings share memory with the stored parts. O(bytes).
	Outline(path string, stored []Part, files Files) *Outline
	// Merge merges two versions of a part, see Merging. The result has no derived fields.
	// base is nil if both sides added the part. level is the number of parts above it in the
	// result. also lists conflicts about the part as a whole; they come first in the result.
	Merge(m *Merging, base, won, lost *Part, level int, also ...Conflict) (Part, []Conflict)
}

// Files returns the text of the document at a path, such as a setup file that another
// document names; false if there is no such document or it cannot be read.
type Files func(path string) (text string, ok bool)

// Editor is a format whose files Fovea edits. Its merges keep conflicts in the text.
type Editor interface {
	Format
	// Parse parses a text of the document at a path.
	Parse(path, text string, files Files) Text
	// Conflicts returns the conflicts in a part, in order. Values that are not empty end
	// in a line feed.
	Conflicts(p *Part) []Conflict
	// Resolved returns the part's own text without the conflicts of these indexes. With
	// take, lost values replace the kept ones. Errors: ErrMoved.
	Resolved(p *Part, take bool, which ...int) (string, error)
	// IsLocal reports whether an own text means the same in every document and affects
	// nothing outside it, so that text at the end of a file can be read on its own.
	IsLocal(content string) bool
	// Extend reads top, the text before the first headline, followed by more, which is to
	// be added at the end of the same file. It returns nil if more does not consist of
	// headlines, or if the file, which has size bytes and count headlines without it,
	// would be too large.
	Extend(path, top, more string, size, count int, files Files) *Outline
	// KeptWhole returns why a text is kept as one opaque part, and how to change that; ""
	// for a text that is parsed. It depends only on the text.
	KeptWhole(text string) string
}

// Text is a parsed text of a document. Headlines have indexes from 0, in order; -1 is
// the document itself.
type Text interface {
	// Source returns the text.
	Source() string
	// Headlines returns the number of headlines.
	Headlines() int
	// Own returns the offsets of the own text of headline i.
	Own(i int) (start, end int)
	// Edit applies edits in order to headline i and returns the changes of the source.
	// The text itself does not change.
	Edit(i int, now time.Time, edits ...Edit) ([]Splice, error)
	// Keywords returns the task keywords in order, and the ones that mean done; none
	// in a format without tasks.
	Keywords() (all, done []string)
}

// Checker is a format that checks what an agent writes.
type Checker interface {
	// Place returns the check of the own texts in a document. known reports whether a
	// node has an id, for links. O(len(document)).
	Place(doc Text, known func(id string) bool) Place
}

// Place checks the own texts of a document, whose settings can change what they mean. It
// is immutable and safe for concurrent use.
type Place interface {
	// Check returns an error if something in an own text acts when the file is opened,
	// exported or executed, unless before, the text that it replaces, already has it. from
	// is the Place of before, nil for none.
	Check(from Place, before, after string) error
}

// Linker is a format with links.
type Linker interface {
	// LinkLines returns, for the target of each link in an own text, the number of lines
	// before the first such link. Targets are as in Derived.Links.
	LinkLines(content string) map[string]int
	// LinkTitle returns a title as links refer to it.
	LinkTitle(title string) string
}

// Formats are the formats of a memory. A file has the first format that owns its path.
type Formats []Format

// Of returns the format of the file at a path: Opaque if no format owns it.
func (fs Formats) Of(path string) Format {
	for _, f := range fs {
		if f.Owns(path) {
			return f
		}
	}
	return Opaque{}
}

// Owns reports whether a format other than Opaque owns the path of a file.
func (fs Formats) Owns(path string) bool {
	_, opaque := fs.Of(path).(Opaque)
	return !opaque
}

// KeptWhole is Editor.KeptWhole for the format of a path, "" if it is no Editor.
func (fs Formats) KeptWhole(path, text string) string {
	if f, ok := fs.Of(path).(Editor); ok {
		return f.KeptWhole(text)
	}
	return ""
}

// Fingerprint returns a hash of the settings that change the derived fields.
func (fs Formats) Fingerprint() uint64 {
	h := uint64(0)
	for _, f := range fs {
		if f, ok := f.(interface{ Fingerprint() uint64 }); ok {
			h = bits.RotateLeft64(h, 1) ^ f.Fingerprint()
		}
	}
	return h
}

// Opaque is the format of files that are kept unparsed: one part, without fields.
type Opaque struct{}

// Owns reports true: any file can be kept unparsed.
func (Opaque) Owns(string) bool { return true }

// Outline returns one part with the joined contents.
func (Opaque) Outline(_ string, stored []Part, _ Files) *Outline {
	return &Outline{Parts: []Part{{Parent: -1, Type: TypeDocument, Content: Join(stored), Derived: &Derived{Opaque: true}, Line: 1}}}
}

// Merge merges text by lines; a binary or encrypted file is one value.
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

// Join returns the joined contents of parts. A single content is not copied.
func Join(parts []Part) string {
	contents := make([]string, len(parts))
	for i := range parts {
		contents[i] = parts[i].Content
	}
	return strings.Join(contents, "")
}
