// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import "strings"

// The details of an object are parsed from its bytes on demand. Each method returns
// the zero value for an element of another type, panics if i is out of range, and
// takes time in proportion to the object.

// objectText returns the bytes of element i without trailing blanks, or "" for an
// element of another type.
func (t *Tree) objectText(i int, kind Type) string {
	e := &t.Elements[i]
	if e.Type != kind {
		return ""
	}
	return t.Source[e.Start : e.End-e.PostBlank]
}

// Link returns link i. Offsets are those of Source.
func (t *Tree) Link(i int) Link {
	text := t.objectText(i, TypeLink)
	if text == "" {
		return Link{}
	}
	e := &t.Elements[i]
	l := Link{Start: int(e.Start), End: int(e.End - e.PostBlank)}
	if e.ContentsEnd > 0 {
		l.Description = t.Source[e.ContentsStart:e.ContentsEnd]
	}
	switch {
	case strings.HasPrefix(text, "[["):
		end := len(text) - len("]]")
		if l.Description != "" {
			end -= len("][") + len(l.Description)
		}
		l.Format, l.Raw = LinkBracket, t.doc.resolveAddress(text[2:end])
	case l.Description != "":
		l.Format, l.Type, l.Path, l.Raw = LinkRadio, "radio", text, text
		return l
	case text[0] == '<':
		l.Format, l.Raw = LinkAngle, text[1:len(text)-1]
	default:
		l.Format, l.Raw = LinkPlain, text
	}
	l.setAddress()
	return l
}

// Timestamp returns timestamp i, and whether i is a timestamp.
func (t *Tree) Timestamp(i int) (Timestamp, bool) {
	return ParseTimestamp(t.objectText(i, TypeTimestamp))
}

// A Footnote is a reference to a footnote.
type Footnote struct {
	Label  string // "" for an anonymous footnote
	Inline bool   // the reference contains the definition
}

// Footnote returns footnote reference i.
func (t *Tree) Footnote(i int) Footnote {
	text, ok := strings.CutPrefix(t.objectText(i, TypeFootnoteReference), "[fn:")
	if !ok {
		return Footnote{}
	}
	n := labelLength(text)
	return Footnote{Label: text[:n], Inline: text[n] == ':'}
}

// Entity returns the name of entity i without backslash and brackets.
func (t *Tree) Entity(i int) string {
	return strings.TrimSuffix(strings.TrimPrefix(t.objectText(i, TypeEntity), `\`), "{}")
}

// Marked returns the text between the markers of object i, which is verbatim, code, a
// target or a radio target; or the whole of a statistics cookie or LaTeX fragment.
func (t *Tree) Marked(i int) string {
	kind := t.Elements[i].Type
	text := t.objectText(i, kind)
	switch kind {
	case TypeVerbatim, TypeCode:
		return text[1 : len(text)-1]
	case TypeTarget:
		return text[2 : len(text)-2]
	case TypeRadioTarget:
		return text[3 : len(text)-3]
	case TypeStatisticsCookie, TypeLatexFragment:
		return text
	}
	return ""
}

// A Macro is a macro call.
type Macro struct {
	Name string
	// Arguments are the texts between the commas, trimmed; nil without parentheses.
	// An escaped comma (\,) does not separate arguments, and \\ before a comma is a
	// backslash. Arguments are unescaped.
	Arguments []string
}

// Macro returns macro i. The caller owns the slice.
func (t *Tree) Macro(i int) Macro {
	text := t.objectText(i, TypeMacro)
	if text == "" {
		return Macro{}
	}
	name, rest, called := strings.Cut(text[3:len(text)-3], "(")
	m := Macro{Name: name}
	if !called {
		return m
	}
	m.Arguments = macroArguments(strings.TrimSuffix(rest, ")"))
	return m
}

// macroArguments splits text at unescaped commas. Each pair of backslashes before a
// comma stands for one backslash.
func macroArguments(text string) []string {
	var arguments []string
	var argument []byte
	for at := range len(text) {
		if text[at] != ',' {
			argument = append(argument, text[at])
			continue
		}
		n := at - len(strings.TrimRight(text[:at], `\`)) // backslashes before the comma
		argument = argument[:len(argument)-(n+1)/2]
		if n%2 == 1 {
			argument = append(argument, ',')
			continue
		}
		arguments = append(arguments, strings.TrimSpace(string(argument)))
		argument = argument[:0]
	}
	return append(arguments, strings.TrimSpace(string(argument)))
}

// An ExportSnippet is text for one export back-end.
type ExportSnippet struct{ Backend, Text string }

// ExportSnippet returns export snippet i.
func (t *Tree) ExportSnippet(i int) ExportSnippet {
	text := t.objectText(i, TypeExportSnippet)
	if text == "" {
		return ExportSnippet{}
	}
	backend, value, _ := strings.Cut(text[2:len(text)-2], ":")
	return ExportSnippet{backend, value}
}

// Inline is an inline source block, or a call of a named block.
type Inline struct {
	Name      string // language, or name of the called block
	Header    string // text in square brackets after the name
	Body      string // code, or arguments of the call
	EndHeader string // text in square brackets after the arguments of a call
}

// Inline returns inline source block or call i.
func (t *Tree) Inline(i int) Inline {
	syntax := &inlineSource
	if t.Elements[i].Type == TypeInlineBabelCall {
		syntax = &inlineCall
	}
	text := t.objectText(i, syntax.kind)
	if text == "" {
		return Inline{}
	}
	text = text[len(syntax.keyword)+len("_"):]
	var n Inline
	name := strings.IndexAny(text, syntax.stops)
	n.Name, text = text[:name], text[name:]
	if text[0] == '[' {
		n.Header, text = cutBracketed(text)
	}
	n.Body, text = cutBracketed(text)
	if text != "" {
		n.EndHeader, _ = cutBracketed(text)
	}
	return n
}

// cutBracketed returns the text between the bracket at the start of text and its
// closing bracket, and the text after that.
func cutBracketed(text string) (inner, rest string) {
	end := closingBracket(text, 0, len(text))
	return text[1:end], text[end+1:]
}

// Style returns the style of citation i without its slash.
func (t *Tree) Style(i int) string {
	style, _, _ := strings.Cut(strings.TrimPrefix(t.objectText(i, TypeCitation), "[cite"), ":")
	return strings.TrimPrefix(style, "/")
}

// Key returns the key of citation reference i without the @.
func (t *Tree) Key(i int) string {
	text := t.objectText(i, TypeCitationReference)
	for at := range len(text) {
		if text[at] != '@' || !startsKey(text, at) {
			continue
		}
		text = text[at+1:]
		for n := 0; n < len(text); {
			r := runeAt(text, n)
			if !isKeyRune(r) {
				return text[:n]
			}
			n += runeLength(r, text[n])
		}
		return text
	}
	return ""
}
