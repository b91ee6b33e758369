// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package servermemory

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"

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
// A value in which Org would read more than text is written as a JSON string.

// plain reports whether a value can be written unquoted on a line of its own.
func plain(value string) bool {
	return value != "" && inert.Line(value) == value && !strings.ContainsRune(`":[*#|`, rune(value[0])) &&
		!strings.Contains(value, "[[") && !strings.Contains(value, "]]") && !strings.Contains(value, "#+")
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
		for _, unit := range utf16.AppendRune(nil, r) {
			fmt.Fprintf(&b, `\u%04x`, unit)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// decode reverses encode. A person's text that is not a JSON string is returned unchanged.
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

// link returns a link to the headline of an entity, or its name if there is none.
func (m *model) link(name string) string {
	e := m.headlines[name]
	if e == nil {
		return title(name)
	}
	return "[[id:" + e.nodes[0] + "][" + strings.NewReplacer("[", "(", "]", ")").Replace(encode(name)) + "]]"
}

// title returns the title of a relation's headline.
func (m *model) title(r Relation) string {
	return m.link(r.From) + " " + title(r.RelationType) + " " + m.link(r.To)
}

// text returns a headline with its drawer, and an entity's observations.
func (m *model) text(h *headline) string {
	if r := h.Relation; r != nil {
		return fmt.Sprintf("** %s\n:PROPERTIES:\n:ID: %s\n:FROM: %s\n:RELATION: %s\n:TO: %s\n:ORDER: %d\n:END:\n",
			m.title(*r), h.nodes[0], encode(r.From), encode(r.RelationType), encode(r.To), h.order)
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

// read adds the content of a headline to the model. It ignores headlines that are neither an
// entity nor a relation, such as a person's own note.
func (m *model) read(node, content string) {
	properties, body := parts(content)
	order, _ := strconv.Atoi(properties["ORDER"]) // no order sorts first
	if name, is := properties["ENTITY"]; is {
		e := Entity{Name: decode(name), EntityType: decode(properties["ENTITY_TYPE"])}
		for _, line := range body {
			if o, is := observation(line); is {
				e.Observations = append(e.Observations, o)
			}
		}
		m.put(e, node, order)
	} else if from, is := properties["FROM"]; is {
		m.put(Relation{decode(from), decode(properties["TO"]), decode(properties["RELATION"])}, node, order)
	}
}

// without returns the text below a headline and its drawer, minus the list items of some observations.
func without(content string, gone func(observation string) bool) string {
	_, body := parts(content)
	return strings.Join(slices.DeleteFunc(body, func(line string) bool {
		o, is := observation(line)
		return is && gone(o)
	}), "")
}

// drawer matches the drawer of a headline.
var drawer = regexp.MustCompile(`(?ims)^[ \t]*:PROPERTIES:[ \t\r]*\n(.*?)^[ \t]*:END:[ \t\r]*$\n?`)

// parts returns the properties of a headline, their keys in upper case, and the lines below its drawer.
func parts(content string) (properties map[string]string, body []string) {
	properties = map[string]string{}
	at := drawer.FindStringSubmatchIndex(content)
	if at == nil {
		return properties, nil
	}
	for line := range strings.Lines(content[at[2]:at[3]]) {
		key, value, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), ":"), ":")
		properties[strings.ToUpper(key)] = strings.TrimSpace(value)
	}
	return properties, slices.Collect(strings.Lines(content[at[1]:]))
}

// observation returns the text of a list item, and whether the line is one.
func observation(line string) (text string, is bool) {
	text, is = strings.CutPrefix(strings.TrimSpace(line)+" ", "- ")
	return decode(text), is
}
