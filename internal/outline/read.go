// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package outline

import (
	"bytes"
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// grammar separates the code of a language from comments and literals, and finds definitions.
type grammar struct {
	starts   string         // the bytes that asides and operands begin with
	asides   *regexp.Regexp // everything but code: a comment is its first group, the word that ends a here-document any other
	operands *regexp.Regexp // the same for text that only begins in place of an operand, or nil

	rules    []rule         // the first rule that matches a head counts
	noise    *regexp.Regexp // the start of a head that is not matched with rules, or nil
	lists    *regexp.Regexp // the head before a brace that encloses a list of imports, or nil
	reserved map[string]bool

	byLine     bool           // the end of a line ends a statement; if not, only of a directive, an annotation or the end of a body
	unfinished *regexp.Regexp // besides a backslash, the last two bytes of a line after which a statement continues, or nil
	goesOn     *regexp.Regexp // the start of the line that continues it, or nil
	ends       string         // begins the line that ends a body; if "", any line that is not indented more ends it
	whole      *regexp.Regexp // a line with a definition and its whole body, in a language without braces, or nil
}

// Places of code. A rule has a letter for each place in which it applies.
const (
	inFile   = 'f' // the source, or a namespace
	inClass  = 'c'
	inBody   = 'b' // of a function
	inOpaque = 'x' // no rule applies here
)

// rule finds definitions in heads. A head is the text of a statement up to its body: white space is blanks, and brackets
// enclose dots alone. Its bytes have the same positions as in the source. The last byte is the brace that opens the body, or what
// ends the statement.
//
// The match of the expression is the signature of the definition. The last group is its name, the group "kind" its kind, and the
// group "in" has names that qualify the name.
type rule struct {
	kind string // "function/method" is a method in a class; "" if the group has the kind
	in   string // the places in which it applies
	body byte   // the place of code in the body
	re   *regexp.Regexp
}

// define makes a rule. Places are where it applies and, after an arrow, the place of its body: "fc>b". In the expression, a blank is
// any white space, and brackets enclose anything.
func define(kind, places, expression string) rule {
	in, body, _ := strings.Cut(places, ">")
	expression = strings.NewReplacer(" ?", " *", " ", " +", `\(\)`, `\(\.*\)`, `\[\]`, `\[\.*\]`).Replace(expression)
	return rule{kind: kind, in: in, body: (body + "x")[0], re: regexp.MustCompile(`^(?:` + expression + `)`)}
}

// angles is an expression for type arguments.
const angles = `<(?:[^<>]|=>|<(?:[^<>]|=>|<(?:[^<>]|=>)*>)*>)*>`

// Limits of the work for hostile sources.
const (
	// maxSignature is the longest signature, in bytes.
	maxSignature = 240
	// maxHead is the longest head, in bytes. A longer one defines nothing.
	maxHead = 1000
	// stepsOfByte is the maximum number of bytes of all heads for each byte of the source.
	stepsOfByte = 16
)

// reader finds the definitions of one source.
type reader struct {
	*grammar
	src, code []byte
	lines     []int32 // where each line begins
	found     []Definition
	open      []body
	head      []byte
	last      int // the last line that is not blank
	steps     int // bytes of all heads so far
}

// body is the body of a definition, or another block.
type body struct {
	def    int // index of the definition, or -1
	column int // of the head that it belongs to
	place  byte
}

// read finds the definitions in src, by the heads at the start of lines and the indentation of bodies, in time linear in src.
func read(g *grammar, src []byte) *reader {
	r := &reader{grammar: g, src: src, code: blank(g, src), lines: []int32{0}}
	for i, c := range src {
		if c == '\n' {
			r.lines = append(r.lines, int32(i+1))
		}
	}
	for at := 0; at < len(src); {
		at = r.line(at)
	}
	r.close(0, r.last)
	return r
}

// number returns the number of the line of a position.
func (r *reader) number(at int) int {
	n, _ := slices.BinarySearch(r.lines, int32(at+1))
	return n
}

// lineAfter returns where the line after a position begins.
func (r *reader) lineAfter(at int) int {
	if n := bytes.IndexByte(r.code[at:], '\n'); n >= 0 {
		return at + n + 1
	}
	return len(r.code)
}

// close ends the bodies from the one with index n, with a line.
func (r *reader) close(n, line int) {
	for _, b := range r.open[n:] {
		if b.def >= 0 {
			r.found[b.def].EndLine = max(r.found[b.def].EndLine, line)
		}
	}
	r.open = r.open[:n]
}

// line reads the line at a position and the statement that it begins, and returns the start of the next line that may begin
// a statement.
func (r *reader) line(at int) int {
	const tab = 8
	next, column, from := r.lineAfter(at), 0, at
	for ; from < next && r.code[from] <= ' '; from++ {
		if column++; r.code[from] == '\t' {
			column += tab - 1
		}
	}
	if from == next {
		return next
	}
	before := r.last
	r.last = r.number(next - 1)
	r.endBodies(r.code[from:next], column, before)
	around := r.enclosing(column)
	b := body{def: -1, column: column, place: inFile}
	if around > 0 {
		b.place = r.open[around-1].place
	}
	if b.place == inOpaque {
		return next
	}
	if r.noise != nil {
		from += len(r.noise.Find(r.code[from:next]))
	}
	end := r.statement(from)
	if from == next || end <= from {
		return next
	}
	rest := r.code[end-1 : r.lineAfter(end-1)]
	opens := rest[0] == '{' && bytes.Count(rest, []byte("{")) > bytes.Count(rest, []byte("}"))
	if def, place := r.define(from, end, r.open[:around], b.place); def >= 0 {
		b.def, b.place = def, place
		opens = opens || r.ends != "}" && (r.whole == nil || !r.whole.Match(r.code[from:next]))
		r.close(around, before)
	} else if len(r.head) == 0 {
		return r.lineAfter(end - 1)
	} else if !opens || around < len(r.open) {
		return next
	}
	switch {
	case opens && len(r.open) < maxDepth:
		r.open = append(r.open, b)
	case !opens && r.byLine: // an expression, with lines that may define something
		return next
	}
	r.last = r.number(end - 1)
	return r.lineAfter(end - 1)
}

// enclosing returns the number of bodies around a definition in a column. An unclosed function does not count, a namespace does.
func (r *reader) enclosing(column int) int {
	n := len(r.open)
	for n > 0 && r.open[n-1].column >= column && r.open[n-1].place != inFile {
		n--
	}
	return n
}

// endBodies ends the bodies that a line does not belong to, or that it ends.
func (r *reader) endBodies(text []byte, column, before int) {
	if !bytes.HasPrefix(text, []byte(r.ends)) {
		return
	}
	n := len(r.open)
	for n > 0 && (r.open[n-1].column > column || r.ends == "" && r.open[n-1].column == column) {
		n--
	}
	if r.close(n, before); n > 0 && r.open[n-1].column == column {
		r.close(n-1, r.last)
	}
}

// statement reads the head that begins at from, and returns its end, or -1 if it is too long. A head that is too long but has no open
// brackets is empty, and reading continues at its end.
func (r *reader) statement(from int) int {
	r.head = r.head[:0]
	depth, limit := 0, min(len(r.code), from+maxHead)
	if r.steps+maxHead > stepsOfByte*(len(r.src)+maxHead) {
		return -1
	}
	for i := from; i < limit; i++ {
		c, shown := r.code[i], r.code[i]
		if i > from && (c == ')' || c == ']' || c == '}') {
			depth--
		}
		switch {
		case depth < 0, depth == 0 && c == '\n' && (r.byLine || strings.IndexByte("#@})]", r.code[from]) >= 0) && r.endsStatement(i):
			return i
		case depth > 0:
			shown = '.'
		case c <= ' ':
			shown = ' '
		}
		r.steps++
		isEnd := depth == 0 && (c == ';' || c == '{' && !(r.byLine && r.inTypes()) && !(r.lists != nil && r.lists.Match(r.head)))
		if isEnd {
			r.head = bytes.TrimRight(r.head, " ")
		}
		r.head = append(r.head, shown)
		switch {
		case isEnd:
			return i + 1
		case i > from && (c == '(' || c == '[' || c == '{'):
			depth++
		}
	}
	switch {
	case limit == len(r.code):
		return limit
	case depth > 0:
		return -1
	}
	r.head = r.head[:0] // such as a long table, without an end before limit
	return limit
}

// inTypes reports whether arguments of types are open in the head.
func (r *reader) inTypes() bool {
	return bytes.Count(r.head, []byte("<")) > bytes.Count(r.head, []byte(">"))
}

// endsStatement reports whether the end of a line, at i, ends the statement too.
func (r *reader) endsStatement(i int) bool {
	const longest = 100 // of the beginning of the next line, and the blanks before it
	before := bytes.TrimRight(r.code[max(0, i-longest):i], " \t\r")
	switch end := before[max(0, len(before)-2):]; {
	case bytes.HasSuffix(end, []byte(`\`)), bytes.HasSuffix(end, []byte(",")) && r.inTypes(), r.unfinished != nil && r.unfinished.Match(end):
		return false
	}
	return r.goesOn == nil || !r.goesOn.Match(bytes.TrimLeft(r.code[i:min(len(r.code), i+longest)], " \t\r\n"))
}

// define finds the definition in the head of a statement between two positions, within some bodies. It returns its index and the
// place of its body, or -1.
func (r *reader) define(from, end int, around []body, place byte) (int, byte) {
	for i := range r.rules {
		rule := &r.rules[i]
		if strings.IndexByte(rule.in, place) < 0 {
			continue
		}
		if m := rule.re.FindSubmatchIndex(r.head); m != nil {
			if def := r.add(rule, m, from, end, around, place); def >= 0 {
				return def, rule.body
			}
		}
	}
	return -1, 0
}

// add adds the definition of a rule for the match m in the text between two positions. It returns its index, or -1 if a word in it
// is reserved.
func (r *reader) add(rule *rule, m []int, from, end int, around []body, place byte) int {
	d := Definition{Kind: rule.kind, Line: r.number(from), EndLine: r.number(end - 1)}
	d.Signature = strings.TrimRight(r.text(from, m[:2]), " ={;:,")
	for _, b := range around {
		if b.def >= 0 {
			d.Depth, d.Parent = r.found[b.def].Depth+1, join(r.found[b.def].Parent, r.found[b.def].Name)
		}
	}
	if name, method, either := strings.Cut(rule.kind, "/"); either {
		if d.Kind = name; place == inClass {
			d.Kind = method
		}
	}
	for g, label := range rule.re.SubexpNames() {
		switch text := r.text(from, m[2*g:]); {
		case g == 0 || m[2*g] < 0:
		case label == "kind":
			d.Kind = text
		case label == "in":
			d.Parent = join(d.Parent, argumentsOfTypes.ReplaceAllString(text, ""))
		default:
			d.Name = cmp.Or(name.FindString(text), text)
		}
	}
	if r.reserved[d.Name] || d.Kind != "function" && r.reserved[firstWord.FindString(d.Signature)] {
		return -1
	}
	r.found = append(r.found, d)
	return len(r.found) - 1
}

var (
	// name matches a name within a literal, a pointer or the like, or a list of names.
	name = regexp.MustCompile(`operator.+|[\w:]*\{.*|[^\s*&"'()](?:[^"'(),]*[^\s"'(),])?`)
	// argumentsOfTypes are left out of the names of containers.
	argumentsOfTypes = regexp.MustCompile(`<.*?>+`)
	firstWord        = regexp.MustCompile(`^[\w$]+`)
)

// text returns the source of a part of the head that begins at from, in one line and without comments.
func (r *reader) text(from int, part []int) string {
	if part[0] < 0 {
		return ""
	}
	text := bytes.Clone(r.src[from+part[0] : from+part[1]])
	for i := range text {
		if r.code[from+part[0]+i] == ' ' {
			text[i] = ' '
		}
	}
	return shorten(strings.Join(strings.Fields(string(text)), " "))
}

// join joins names; the second may be qualified.
func join(around, name string) string {
	name = strings.Trim(strings.ReplaceAll(name, "::", "."), ".")
	return shorten(strings.Trim(around+"."+name, "."))
}

// shorten cuts text to maxSignature bytes at the border of a character.
func shorten(text string) string { return clip(strings.ToValidUTF8(text, "\uFFFD"), maxSignature) }
