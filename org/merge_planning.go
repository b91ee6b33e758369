// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import (
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/document"
)

// planning merges the timestamps of a planning line separately.
func (o *ownMerge) planning() string {
	line := o.w.planning
	for _, keyword := range []string{"CLOSED", "DEADLINE", "SCHEDULED"} {
		was := *o.w.head.planned(keyword)
		has := o.Field(strings.ToLower(keyword), *o.b.head.planned(keyword), was, *o.l.head.planned(keyword))
		if has != was {
			line = replan(line, keyword, was, has, lineEnd(o.w.line))
		}
	}
	return line
}

// replan replaces one timestamp in a planning line by another; "" means no timestamp. Other
// bytes of the line do not change.
func replan(line, keyword, was, has, end string) string {
	text := strings.TrimRight(line, "\r\n")
	mark := keyword + ":"
	switch at := strings.Index(text, mark); {
	case was == "" || at < 0:
		text = strings.TrimRight(text, " \t")
		if strings.TrimSpace(text) != "" {
			text += " "
		}
		text += mark + " " + has
	case has != "":
		text = text[:at] + strings.Replace(text[at:], was, has, 1)
	default:
		_, after, _ := strings.Cut(text[at:], was)
		text = strings.TrimRight(text[:at]+strings.TrimLeft(after, " \t"), " \t")
	}
	if strings.TrimSpace(text) == "" {
		return ""
	}
	if line != "" {
		end = ending(line)
	}
	return text + end
}

// drawer merges a property drawer by key. The lines of KEY and KEY+ are one value.
func (o *ownMerge) drawer() string {
	b, w, l := propertyLines(o.b.drawer), propertyLines(o.w.drawer), propertyLines(o.l.drawer)
	lines := w.lines
	for _, key := range keysOf(b, w, l) {
		if slices.Contains(claimKeys, key) {
			continue
		}
		was := w.value(key)
		has := document.Pick(b.value(key), was, l.value(key), func() string {
			if key == lastRepeat {
				return max(was, l.value(key)) // the later one
			}
			o.Conflict("property "+key, o.Lost, was, l.value(key))
			return was
		})
		if has != was {
			lines = putProperty(lines, key, l.of(key, has))
		}
	}
	lines = o.claim(lines, b, w, l)
	if w.begin == "" {
		w.begin, w.end = l.begin, l.end
	}
	w.lines = lines
	return w.String()
}

// String returns the text of the drawer, "" without properties.
func (d drawerLines) String() string {
	if len(d.lines) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString(d.begin)
	for _, p := range d.lines {
		b.WriteString(p.text)
	}
	b.WriteString(d.end)
	return b.String()
}

// drawerLine is one line of a property drawer.
type drawerLine struct {
	key    string // upper case, without a +
	text   string // the line with its end
	normal string // key and value with normalized spacing
}

// drawerLines is a property drawer split into lines.
type drawerLines struct {
	begin, end string
	lines      []drawerLine
}

func propertyLines(drawer string) drawerLines {
	if drawer == "" {
		return drawerLines{}
	}
	doc := Parse(drawer, nil)
	if len(doc.Properties) == 0 {
		line, end, _ := strings.Cut(drawer, "\n")
		return drawerLines{begin: line + "\n", end: end}
	}
	last := doc.Properties[len(doc.Properties)-1].End
	d := drawerLines{begin: drawer[:doc.Properties[0].Start], end: drawer[last:]}
	for _, p := range doc.Properties {
		key := strings.ToUpper(p.Key)
		d.lines = append(d.lines, drawerLine{
			key: strings.TrimSuffix(key, "+"), text: drawer[p.Start:p.End], normal: strings.TrimSpace(":" + p.Key + ": " + p.Value),
		})
	}
	return d
}

// value returns the normalized lines of a key.
func (d drawerLines) value(key string) string {
	var normal []string
	for _, p := range d.lines {
		if p.key == key {
			normal = append(normal, p.normal)
		}
	}
	return strings.Join(normal, "\n")
}

// of returns the lines of a key, none if value is empty.
func (d drawerLines) of(key, value string) []drawerLine {
	if value == "" {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(d.lines), func(p drawerLine) bool { return p.key != key })
}

// keysOf returns the distinct keys of drawers in order.
func keysOf(drawers ...drawerLines) []string {
	var keys []string
	for _, d := range drawers {
		for _, p := range d.lines {
			if !slices.Contains(keys, p.key) {
				keys = append(keys, p.key)
			}
		}
	}
	return keys
}

// putProperty replaces the lines of a key, or appends lines for a new key.
func putProperty(lines []drawerLine, key string, with []drawerLine) []drawerLine {
	is := func(p drawerLine) bool { return p.key == key }
	at := slices.IndexFunc(lines, is)
	if at < 0 {
		at = len(lines)
	}
	rest := slices.DeleteFunc(slices.Clone(lines[at:]), is)
	return slices.Concat(lines[:at], with, rest)
}
