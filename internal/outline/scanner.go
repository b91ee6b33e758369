// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package outline

import (
	"bytes"
	"strings"
)

// maxSignature is the longest signature, in bytes.
const maxSignature = 240

// scanner collects the definitions of a source from its tokens.
type scanner struct {
	code
	found []Definition
	steps int // of looking ahead
}

// stepsPerToken bounds looking ahead by the size of the source, so that time is linear
// whatever it holds. Code that people wrote needs about one.
const stepsPerToken = 16

// look counts a step of looking ahead, and reports whether it may be taken.
func (s *scanner) look() bool {
	s.steps++
	return s.steps <= stepsPerToken*(len(s.tokens)+maxDepth)
}

// scope is a definition that holds others.
type scope struct {
	kind  string
	name  string // joined by dots with those around it
	depth int
	level int // brackets entered, which bounds recursion
}

// within returns the scope of a definition named name in o.
func (o scope) within(kind, name string) scope {
	if o.name != "" {
		name = o.name + "." + name
	}
	return scope{kind: kind, name: name, depth: o.depth + 1, level: o.level + 1}
}

// frame is what a bracket encloses.
type frame struct {
	kind  int // for scripts
	end   int // the token that closes it
	scope scope
}

// frames are the brackets that are open where a scanner is, with the source as the first.
type frames []frame

// at leaves the frames that end before or at the token i, and returns the last one left.
func (f *frames) at(i int) frame {
	for len(*f) > 1 && (*f)[len(*f)-1].end <= i {
		*f = (*f)[:len(*f)-1]
	}
	return (*f)[len(*f)-1]
}

// token returns the token i, or a zero one outside the source.
func (s *scanner) token(i int) lexeme {
	if i < 0 || i >= len(s.tokens) {
		return lexeme{}
	}
	return s.tokens[i]
}

// text returns the text of the token i, "" outside the source.
func (s *scanner) text(i int) string {
	t := s.token(i)
	return string(s.src[t.off:t.end])
}

// is reports whether the token i is the word or mark text.
func (s *scanner) is(i int, text string) bool {
	t := s.token(i)
	return t.form != quoted && int(t.end-t.off) == len(text) && string(s.src[t.off:t.end]) == text
}

// mark reports whether the token i is the mark c.
func (s *scanner) mark(i int, c byte) bool { return s.token(i).mark == c }

// word reports whether the token i is a word that may be a name.
func (s *scanner) word(i int) bool {
	t := s.token(i)
	return t.form == word && (s.src[t.off] < '0' || s.src[t.off] > '9')
}

// mate returns the index of the bracket that closes the one at i, at most the number of
// tokens, or i if i is no bracket that opens.
func (s *scanner) mate(i int) int {
	if m := int(s.token(i).mate); m > i {
		return m
	}
	return i
}

// bodyEnd returns the last token of a definition whose head ends before i: of its body, if
// one begins there.
func (s *scanner) bodyEnd(i int) int {
	if s.mark(i, '{') || s.mark(i, ';') {
		return s.mate(i)
	}
	return i - 1
}

// lineOf returns the line in which the token i begins, for one past the end the last.
func (s *scanner) lineOf(i int) int {
	if i >= len(s.tokens) {
		return int(s.lines)
	}
	return int(s.token(i).line)
}

// afterAngles returns the token after the type parameters at i, or i if there are none.
func (s *scanner) afterAngles(i int) int {
	if m := s.token(i).mate; m < -1 {
		return int(-m)
	}
	return i
}

// firstOf returns the first token from i that is one of marks at the same level, at most end.
func (s *scanner) firstOf(i, end int, marks string) int {
	for i < end && strings.IndexByte(marks, s.token(i).mark) < 0 {
		if !s.look() {
			return min(end, len(s.tokens))
		}
		i = s.mate(i) + 1
	}
	return min(i, end)
}

// afterTypes is firstOf that passes what angle brackets enclose.
func (s *scanner) afterTypes(i, end int, marks string) int {
	for i < end && s.look() && strings.IndexByte(marks, s.token(i).mark) < 0 {
		i = s.next(i)
	}
	return min(i, end)
}

// next returns the token after the token i, with all that it encloses.
func (s *scanner) next(i int) int { return max(s.mate(i)+1, s.afterAngles(i)) }

// headEnd returns the first token from i, at the same level, that begins a line or is one of marks.
func (s *scanner) headEnd(i int, marks string) int {
	for i < len(s.tokens) && s.look() && !s.token(i).first && strings.IndexByte(marks, s.token(i).mark) < 0 {
		i = s.mate(i) + 1
	}
	return min(i, len(s.tokens))
}

// eachIn reads the source from the token i to end, item by item: read is given the token that one
// begins with, and returns the one after it.
func (s *scanner) eachIn(i, end int, o scope, read func(i, end int, o scope) int) {
	if o.level > maxDepth {
		return
	}
	for end = min(end, len(s.tokens)); i < end; {
		i = max(i+1, read(i, end, o))
	}
}

// between returns the source from the token first up to and without the token end, in one
// line, without comments, shortened to maxSignature.
func (s *scanner) between(first, end int) string {
	var b strings.Builder
	last := int32(-1)
	for i := max(first, 0); i < min(end, len(s.tokens)) && b.Len() < maxSignature; i++ {
		t := s.tokens[i]
		if last >= 0 && t.off > last {
			b.WriteByte(' ')
		}
		text := s.src[t.off:t.end]
		if bytes.IndexByte(text, '\n') >= 0 {
			text = bytes.Join(bytes.Fields(text[:min(len(text), 2*maxSignature)]), []byte(" "))
		}
		b.Write(text[:min(len(text), maxSignature)])
		last = t.end
	}
	return shorten(b.String())
}

// shorten cuts text to maxSignature bytes at the border of a character.
func shorten(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) <= maxSignature {
		return text
	}
	return strings.ToValidUTF8(text[:maxSignature], "") + "…"
}

// add records the definition name in o, from the token first, with the signature up to
// the token head, until the token end.
func (s *scanner) add(o scope, kind, name string, first, head, end int) {
	line := s.lineOf(first)
	s.found = append(s.found, Definition{
		Kind: kind, Name: shorten(name), Parent: o.name, Depth: o.depth,
		Line: line, EndLine: max(line, s.lineOf(end)), Signature: s.between(first, head),
	})
}

// words makes a set of the words of list.
func words(list string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(list) {
		set[word] = true
	}
	return set
}
