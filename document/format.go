// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package document

import (
	"math/bits"
	"strings"
	"time"
	"unicode/utf8"
)

// Format reads and merges documents of one kind. A format is immutable and safe for any
// number of goroutines. One whose files are written is an Editor; what else only some can
// do is an interface of its own, which callers ask for by a type assertion: Checker, Linker.
type Format interface {
	// Owns reports whether the file at a path is of this format.
	Owns(path string) bool
	// Outline reads a document. Of the stored parts, which it may keep and change, it uses
	// parents, types, attributes and contents; a text that is read for the first time is
	// one part. The contents of the result are the contents of the stored parts in the same
	// order, perhaps divided otherwise. Strings share memory with the stored parts.
	// O(bytes).
	Outline(path string, stored []Part, files Files) *Outline
	// Merge merges two versions of a part, see Merging, into its own data without derived
	// fields. base is nil if both
	// sides added it. level is the number of parts above it in the result. also lists
	// conflicts about the part as a whole, which precede those in the result.
	Merge(m *Merging, base, won, lost *Part, level int, also ...Conflict) (Part, []Conflict)
}

// Files returns the text of the document at a path, such as one that another document
// names as its setup file; false if there is none or it cannot be read.
type Files func(path string) (text string, ok bool)

// Editor is a format whose files are written, by edits, and by merges that keep conflicts
// in the text.
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
	// IsLocal reports whether an own text is read alike in every document and affects
	// nothing outside it, so that a text at the end of a file can be read without those
	// before it.
	IsLocal(content string) bool
	// Extend reads top, the text before the first headline, followed by more, a text for
	// the end of the same file. It returns nil if that text is not for headlines alone,
	// or if the file, which has size bytes and count headlines without it, would be too
	// large.
	Extend(path, top, more string, size, count int, files Files) *Outline
	// KeptWhole returns why a text is one opaque part, and what to do about it; "" for a
	// text that is parsed. It depends on the text alone.
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
	// Check refuses an own text in which something acts when the file is opened, exported
	// or executed, unless before, the text that it replaces, has the same. from is the
	// Place of before, nil for none.
	Check(from Place, before, after string) error
}

// Linker is a format with links.
type Linker interface {
	// LinkLines returns, for the target of each link in an own text, the number of lines
	// before the first such link. Targets are as in Derived.Links.
	LinkLines(content string) map[string]int
	// LinkTitle returns a title as links name it.
	LinkTitle(title string) string
}

// Formats are the formats of a memory. A file belongs to the first that owns its path.
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

// Fingerprint distinguishes settings under which the formats derive other fields.
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
