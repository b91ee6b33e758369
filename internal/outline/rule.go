// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package outline

import (
	"bytes"
	"regexp"
	"strings"
)

// Places where code stands. A rule has a letter for each place that it is for.
const (
	inFile   = 'f' // the source, a namespace, or a block of statements that is in neither class nor function
	inClass  = 'c'
	inBody   = 'b' // of a function
	inValue  = 'v' // in braces that are part of an expression
	inParens = 'p'
	inOpaque = 'x' // no rule is for this place
)

// rule finds definitions in heads. A head is the text of a statement, or of what stands before the body of one: white
// space is a single blank, brackets enclose nothing, and the last byte is what ends the head: an opening
// bracket, or a semicolon for anything else.
//
// The signature of the definition is what the expression matches. The last group is its name, or several
// names with commas between them. The group "kind" is the kind of the definition, "in" has names that qualify the name,
// and the signature begins with "head" and ends before "rest".
type rule struct {
	kind string // "function/method" is a method in a class; "" if nothing is defined, or the group says what
	in   string // the places that it is for
	body byte   // the place that the body is
	own  bool   // the name is that of the class around
	list bool   // it is for heads that end with a parenthesis, too
	re   *regexp.Regexp
}

// define makes a rule. Places are those that it is for, and behind an arrow the one that the body is: "fc>b".
func define(kind, places, expression string) rule {
	in, body, _ := strings.Cut(places, ">")
	in, own := strings.CutSuffix(in, "=")
	list := strings.HasSuffix(expression, `\(`) || strings.HasSuffix(expression, `(]`)
	return rule{kind: kind, in: in, body: (body + "x")[0], own: own, list: list, re: anchored(` *(?:` + expression + `)`)}
}

// angles is an expression for type arguments.
const angles = `<(?:[^<>]|=>|<(?:[^<>]|=>|<(?:[^<>]|=>)*>)*>)*>`

// Limits of the work for hostile sources.
const (
	// maxSignature is the longest signature, in bytes.
	maxSignature = 240
	// maxHead is the longest head, in bytes. What is longer defines nothing.
	maxHead = 1000
	// maxTries is how often the head of one bracket is tried before its end is reached.
	maxTries = 16
	// stepsOfByte is how many bytes of heads rules are tried on, for each byte of the source.
	stepsOfByte = 8
)

// apply returns the first rule that is for the head of the innermost bracket, which c ends at the position end, and
// the index of what it defines, or -1.
func (r *reader) apply(c byte, end int) (*rule, int) {
	f := r.top()
	if f.start == len(r.flat) || f.place == inOpaque || !r.spend() {
		return nil, -1
	}
	head := r.quiet(append(r.flat[f.start:len(r.flat):len(r.flat)], c))
	for i := range r.rules {
		rule := &r.rules[i]
		if rule.in != "*" && strings.IndexByte(rule.in, f.place) < 0 || c == '(' && !rule.list && r.style != byParens {
			continue
		}
		m := rule.re.FindSubmatchIndex(head)
		if m == nil {
			continue
		}
		if len(m) == 2 {
			return rule, -1
		}
		if def := r.add(rule, m, head, end); def >= 0 {
			return rule, def
		}
	}
	return nil, -1
}

// spend reports whether expressions may be tried on the head, which is neither long nor tried often. All that are tried have
// so many bytes for each byte of the source at most.
func (r *reader) spend() bool {
	f, size := r.top(), len(r.head())
	if size >= maxHead || f.tries >= maxTries || r.steps+size > stepsOfByte*(len(r.src)+maxHead) {
		return false
	}
	f.tries++
	r.steps += size
	return true
}

// quiet puts blanks in place of the noise in a head.
func (r *reader) quiet(head []byte) []byte {
	if r.noise == nil {
		return head
	}
	return r.noise.ReplaceAllFunc(head, func(noise []byte) []byte { return bytes.Repeat([]byte(" "), len(noise)) })
}

// add adds what a rule defines by the match m in a head, and returns the index of the last definition, or -1.
func (r *reader) add(rule *rule, m []int, head []byte, end int) int {
	f, d := r.top(), Definition{Kind: rule.kind, EndLine: r.line(end)}
	var around Definition
	if f.def >= 0 {
		around = r.found[f.def]
		d.Depth, d.Parent = around.Depth+1, join(around.Parent, around.Name)
	}
	if name, method, either := strings.Cut(rule.kind, "/"); either {
		if d.Kind = name; f.place == inClass {
			d.Kind = method
		}
	}
	from, to, names := m[0]+len(head[m[0]:])-len(bytes.TrimLeft(head[m[0]:], " ")), m[1], m[:2]
	for g, label := range rule.re.SubexpNames() {
		group := m[2*g : 2*g+2]
		if g == 0 || group[0] < 0 {
			continue
		}
		switch text := string(head[group[0]:group[1]]); label {
		case "kind":
			d.Kind = text
		case "head":
			from = group[0]
		case "rest":
			to = group[0]
		case "in":
			d.Parent = join(d.Parent, argumentsOfTypes.ReplaceAllString(text, ""))
		default:
			names = group
		}
	}
	d.Signature, d.Line = r.signature(from, to), r.line(int(r.at[f.start+from]))
	if d.Depth >= maxDepth || r.reserved[firstWord.FindString(d.Signature)] {
		return -1
	}
	def := -1
	for _, name := range r.names(head, names[0], names[1]) {
		if d.Name = name; !r.reserved[name] && (!rule.own || name == around.Name) {
			def = len(r.found)
			r.found = append(r.found, d)
		}
	}
	return def
}

// argumentsOfTypes are left out of the names of what a definition is within; nameInList is a name and what follows it in a list.
var (
	argumentsOfTypes = regexp.MustCompile(`<.*?>+`)
	firstWord        = regexp.MustCompile(`^[\w$]+`)
	nameInList       = regexp.MustCompile(`([\w$]+)[^,]*`)
)

// names returns the name in a part of the innermost head, or each first word where commas stand between several.
func (r *reader) names(head []byte, from, to int) []string {
	list := [][]int{{0, to - from, 0, to - from}}
	if bytes.IndexByte(head[from:to], ',') >= 0 {
		list = nameInList.FindAllSubmatchIndex(head[from:to], -1)
	}
	at := r.at[r.top().start+from:]
	var names []string
	for _, m := range list {
		if m[2] < m[3] && m[3] <= len(at) {
			names = append(names, shorten(oneLine(r.src[at[m[2]]:at[m[3]-1]+1])))
		}
	}
	return names
}

// join joins names, the second of which may be qualified.
func join(around, name string) string {
	name = strings.Trim(strings.ReplaceAll(name, "::", "."), ".")
	return shorten(strings.Trim(around+"."+name, "."))
}

// bodyWithin matches a head that goes on behind a body, such as that of a type with two names.
var bodyWithin = regexp.MustCompile(`\{\} ?[*\w]`)

// signature returns the source of a part of the innermost head in one line, without comments. If that is long or has a body, it is
// without what brackets enclose.
func (r *reader) signature(from, to int) string {
	start := r.top().start
	flat, at := r.flat[start:], r.at[start:]
	to = min(to, len(flat))
	text := flat[from:to]
	if first, end := int(at[from]), int(at[to-1])+1; end-first <= maxSignature && !bodyWithin.Match(text) {
		text = bytes.Clone(r.src[first:end])
		for i := range text {
			if r.code[first+i] == ' ' {
				text[i] = ' '
			}
		}
	}
	return shorten(strings.TrimRight(oneLine(text), " ={;:,"))
}

// oneLine returns text in one line.
func oneLine(text []byte) string { return strings.Join(strings.Fields(string(text)), " ") }

// shorten cuts text to maxSignature bytes at the border of a character.
func shorten(text string) string { return clip(strings.ToValidUTF8(text, "\uFFFD"), maxSignature) }

// words makes a set of the words of list.
func words(list string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(list) {
		set[word] = true
	}
	return set
}

// hasPrefix is bytes.HasPrefix for a string.
func hasPrefix(b []byte, prefix string) bool {
	return len(b) >= len(prefix) && string(b[:len(prefix)]) == prefix
}
