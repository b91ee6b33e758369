// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package servermemory

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/fovea-memory/fovea/internal/inert"
)

// An entity is a headline with its name, type and place in the order as properties and
// its observations as list items; a relation is a headline that links both ends:
//
//	** Ada                                   ** [[id:…][Ada]] wrote [[id:…][Note G]]
//	:PROPERTIES:                             :PROPERTIES:
//	:ID: …                                   :ID: …
//	:ENTITY: Ada                             :FROM: Ada
//	:ENTITY_TYPE: person                     :RELATION: wrote
//	:ORDER: 1                                :TO: Note G
//	:END:                                    :ORDER: 3
//	- lived in London                        :END:
//
// A value that Org would read as more than text stands as a JSON string.

// plain reports whether a value can be written unquoted on a line of its own.
func plain(value string) bool {
	if value == "" || strings.TrimSpace(value) != value || !utf8.ValidString(value) || strings.ContainsRune(`":[*#|`, rune(value[0])) {
		return false
	}
	for _, r := range value {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || r == utf8.RuneError {
			return false
		}
	}
	return !strings.Contains(value, "[[") && !strings.Contains(value, "]]") && !strings.Contains(value, "#+") && inert.Line(value) == value
}

// encode returns a value on one line: unchanged, or as a JSON string that escapes all but
// letters, digits, spaces and simple punctuation.
func encode(value string) string {
	if plain(value) {
		return value
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range value {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune(" .,;!?'()=/&@", r) || r > unicode.MaxASCII && unicode.IsPrint(r) {
			b.WriteRune(r)
			continue
		}
		if r > 0xFFFF {
			fmt.Fprintf(&b, `\u%04x\u%04x`, 0xD800+(r-0x10000)>>10, 0xDC00+(r-0x10000)&0x3FF)
			continue
		}
		fmt.Fprintf(&b, `\u%04x`, r)
	}
	b.WriteByte('"')
	return b.String()
}

// decode reverses encode. A person's text that is no JSON string is returned unchanged.
func decode(text string) string {
	text = strings.TrimSpace(text)
	var value string
	if strings.HasPrefix(text, `"`) && json.Unmarshal([]byte(text), &value) == nil {
		return value
	}
	return text
}

// title returns a value for use in a headline, quoted if Org could read a keyword, priority
// or tag in it.
func title(value string) string {
	text := encode(value)
	first, _, _ := strings.Cut(text, " ")
	if text == value && (first == strings.ToUpper(first) || strings.HasSuffix(text, ":")) {
		return `"` + text + `"`
	}
	return text
}

// link returns a link to the headline of an entity, or its name if e is nil.
func link(name string, e *headline) string {
	if e == nil {
		return title(name)
	}
	return "[[id:" + e.nodes[0] + "][" + strings.NewReplacer("[", "(", "]", ")").Replace(encode(name)) + "]]"
}

// headlineText returns a headline with its drawer, and an entity's observations.
func headlineText(h *headline, m *model) string {
	if h.isRelation {
		return fmt.Sprintf("** %s\n:PROPERTIES:\n:ID: %s\n:FROM: %s\n:RELATION: %s\n:TO: %s\n:ORDER: %d\n:END:\n",
			relationTitle(h.Relation, m), h.nodes[0], encode(h.From), encode(h.RelationType), encode(h.To), h.order)
	}
	return fmt.Sprintf("** %s\n:PROPERTIES:\n:ID: %s\n:ENTITY: %s\n:ENTITY_TYPE: %s\n:ORDER: %d\n:END:\n%s",
		title(h.Name), h.nodes[0], encode(h.Name), encode(h.EntityType), h.order, items(h.Observations))
}

// items returns observations as list items.
func items(observations []string) string {
	var b strings.Builder
	for _, o := range observations {
		b.WriteString("- " + encode(o) + "\n")
	}
	return b.String()
}

// relationTitle returns the title of a relation's headline.
func relationTitle(r Relation, m *model) string {
	return link(r.From, m.entities[r.From]) + " " + title(r.RelationType) + " " + link(r.To, m.entities[r.To])
}

// put adds the content of a headline to the model. It ignores any that is neither an entity
// nor a relation, such as a person's own note.
func (m *model) put(node, text string) {
	properties, observations := read(text)
	order, _ := strconv.Atoi(properties["ORDER"]) // no order sorts first
	name, isEntity := properties["ENTITY"]
	from, isRelation := properties["FROM"]
	switch {
	case isEntity:
		m.putEntity(Entity{Name: decode(name), EntityType: decode(properties["ENTITY_TYPE"]), Observations: observations}, node, order)
	case isRelation:
		m.putRelation(Relation{From: decode(from), To: decode(properties["TO"]), RelationType: decode(properties["RELATION"])}, node, order)
	}
}

// read splits the text of a headline into properties and list items.
func read(text string) (properties map[string]string, observations []string) {
	properties, observations = map[string]string{}, []string{}
	inside, done := false, false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		trimmed := strings.TrimSpace(line)
		switch {
		case !inside && !done && strings.EqualFold(trimmed, ":PROPERTIES:"):
			inside = true
		case inside && strings.EqualFold(trimmed, ":END:"):
			inside, done = false, true
		case inside:
			key, value, _ := strings.Cut(strings.TrimPrefix(trimmed, ":"), ":")
			properties[strings.ToUpper(key)] = strings.TrimSpace(value)
		case trimmed == "-" || strings.HasPrefix(trimmed, "- "):
			observations = append(observations, decode(trimmed[1:]))
		}
	}
	return properties, observations
}
