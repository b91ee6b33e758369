// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package recall

import (
	"iter"
	"strings"

	"github.com/fovea-memory/fovea/org"
	"github.com/fovea-memory/fovea/query"
)

// warningDays is Org's default warning period of a deadline, in days.
const warningDays = 14

// readTime parses a timestamp as the parser found it; "" gives none.
func readTime(raw string) []query.Time {
	t, ok := org.ParseTimestamp(raw)
	if !ok || t.Diary {
		return nil
	}
	return []query.Time{queryTime(t)}
}

// queryTime converts a timestamp for queries.
func queryTime(t org.Timestamp) query.Time {
	out := query.Time{Start: t.Start, End: t.End, Active: t.Active, Warning: warningDays}
	if w := t.Warning; w.Mark != "" {
		days := map[byte]int{'d': 1, 'w': 7, 'm': 30, 'y': 365}[w.Unit]
		out.Warning = w.Count * days
	}
	return out
}

// timestamps yields all timestamps in a text.
func timestamps(text string) iter.Seq[query.Time] {
	return func(yield func(query.Time) bool) {
		for {
			i := strings.IndexAny(text, "<[")
			if i < 0 {
				return
			}
			text = text[i:]
			raw := leadingTimestamp(text)
			if raw == "" {
				text = text[1:]
				continue
			}
			text = text[len(raw):]
			for _, t := range readTime(raw) {
				if !yield(t) {
					return
				}
			}
		}
	}
}

// leadingTimestamp returns the timestamp or range at the start of a text, or "".
func leadingTimestamp(text string) string {
	first := bracketed(text)
	if first == "" {
		return ""
	}
	if _, ok := org.ParseTimestamp(first); !ok {
		return ""
	}
	if rest, ok := strings.CutPrefix(text[len(first):], "--"); ok {
		if second := bracketed(rest); second != "" {
			both := text[:len(first)+len("--")+len(second)]
			if _, ok := org.ParseTimestamp(both); ok {
				return both
			}
		}
	}
	return first
}

// bracketed returns the text up to its first closing bracket if it starts like a
// timestamp with a date, or "".
func bracketed(text string) string {
	if len(text) < len("<2026-01-01>") || text[0] != '<' && text[0] != '[' || text[1] < '0' || text[1] > '9' {
		return ""
	}
	end := strings.IndexAny(text, "]>\n")
	if end < 0 || text[end] == '\n' {
		return ""
	}
	return text[:end+1]
}

// clockTimes returns the times of the finished clock entries in a text.
func clockTimes(text string) []query.Time {
	var out []query.Time
	for line := range strings.Lines(text) {
		line = strings.TrimLeft(line, " \t")
		const prefix = "CLOCK:"
		if len(line) < len(prefix) || !strings.EqualFold(line[:len(prefix)], prefix) {
			continue
		}
		raw := leadingTimestamp(strings.TrimLeft(line[len(prefix):], " \t"))
		if t, ok := org.ParseTimestamp(raw); ok && t.Range {
			out = append(out, queryTime(t))
		}
	}
	return out
}
