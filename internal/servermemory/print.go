// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package servermemory

import (
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// printer writes graphs as JSON, with the bytes of encoding/json but faster: a graph of
// megabytes is most of what this server sends. The zero printer writes as json.Marshal does.
type printer struct {
	b []byte
	// bare leaves <, > and & unescaped.
	bare bool
	// quoted writes indented JSON, escaped for the inside of a JSON string.
	quoted bool
	depth  int
}

// shownText returns a graph as that server prints it, in a JSON string.
func shownText(g Graph) []byte {
	p := printer{b: make([]byte, 0, g.size()), quoted: true}
	p.b = append(p.b, '"')
	p.graph(g)
	return append(p.b, '"')
}

// dataText returns a graph as JSON.
func dataText(g Graph) []byte {
	p := printer{b: make([]byte, 0, g.size())}
	p.graph(g)
	return p.b
}

// size estimates the length of a graph as text.
func (g Graph) size() int {
	const entity, observation, relation = 110, 16, 130
	n := 64 + len(g.Relations)*relation
	for _, e := range g.Entities {
		n += entity + len(e.Name) + len(e.EntityType)
		for _, o := range e.Observations {
			n += observation + len(o)
		}
	}
	for _, r := range g.Relations {
		n += len(r.From) + len(r.To) + len(r.RelationType)
	}
	return n
}

func (p *printer) graph(g Graph) {
	p.begin('{')
	p.key("entities", true)
	if g.Entities == nil {
		p.raw("null")
	} else {
		p.begin('[')
		for i, e := range g.Entities {
			p.next(i == 0)
			p.begin('{')
			p.entity(e, true)
			p.end('}', false)
		}
		p.end(']', len(g.Entities) == 0)
	}
	p.key("relations", false)
	if g.Relations == nil {
		p.raw("null")
	} else {
		p.begin('[')
		for i, r := range g.Relations {
			p.next(i == 0)
			p.begin('{')
			p.relation(r, true)
			p.end('}', false)
		}
		p.end(']', len(g.Relations) == 0)
	}
	p.end('}', false)
}

// entity writes the fields of an entity; first says that no field precedes them.
func (p *printer) entity(e Entity, first bool) {
	p.field("name", e.Name, first)
	p.field("entityType", e.EntityType, false)
	p.key("observations", false)
	if e.Observations == nil {
		p.raw("null")
		return
	}
	p.begin('[')
	for i, o := range e.Observations {
		p.next(i == 0)
		p.text(o)
	}
	p.end(']', len(e.Observations) == 0)
}

func (p *printer) relation(r Relation, first bool) {
	p.field("from", r.From, first)
	p.field("to", r.To, false)
	p.field("relationType", r.RelationType, false)
}

func (p *printer) field(key, value string, first bool) {
	p.key(key, first)
	p.text(value)
}

func (p *printer) raw(text string) { p.b = append(p.b, text...) }

func (p *printer) begin(bracket byte) {
	p.b = append(p.b, bracket)
	p.depth++
}

// next starts a member of a list or an object.
func (p *printer) next(first bool) {
	if !first {
		p.b = append(p.b, ',')
	}
	p.line()
}

func (p *printer) end(bracket byte, empty bool) {
	p.depth--
	if !empty {
		p.line()
	}
	p.b = append(p.b, bracket)
}

// line starts a new line in indented text.
func (p *printer) line() {
	if !p.quoted {
		return
	}
	p.raw(`\n`)
	for range p.depth {
		p.raw("  ")
	}
}

func (p *printer) key(name string, first bool) {
	p.next(first)
	p.text(name)
	if p.b = append(p.b, ':'); p.quoted {
		p.b = append(p.b, ' ')
	}
}

// text writes a string, unescaped if that is its JSON form.
func (p *printer) text(s string) {
	switch {
	case !itself(s):
		p.escaped(s)
	case p.quoted:
		p.raw(`\"`)
		p.raw(s)
		p.raw(`\"`)
	default:
		p.b = append(p.b, '"')
		p.raw(s)
		p.b = append(p.b, '"')
	}
}

// escaped writes a string as encoding/json does.
func (p *printer) escaped(s string) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(!p.bare && !p.quoted)
	_ = e.Encode(s) // a string always encodes
	text := strings.TrimSuffix(b.String(), "\n")
	if !p.quoted {
		p.raw(text)
		return
	}
	again, _ := json.Marshal(text)
	p.b = append(p.b, again[1:len(again)-1]...)
}

// itself reports whether a string needs no escape in JSON, even inside another string and
// with HTML escaping.
func itself(s string) bool {
	ascii := true
	for i := range len(s) {
		switch c := s[i]; {
		case c < ' ', c == '"', c == '\\', c == '<', c == '>', c == '&', c == 0x7F:
			return false
		case c >= utf8.RuneSelf:
			ascii = false
		}
	}
	return ascii || utf8.ValidString(s) && !strings.ContainsAny(s, "\u2028\u2029")
}
