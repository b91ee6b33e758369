// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package recall

import (
	"iter"
	"strings"

	"github.com/fovea-memory/fovea/org"
	"github.com/fovea-memory/fovea/query"
)

// warningDays is how many days before a deadline Org begins to show it where the
// deadline does not say.
const warningDays = 14

// readTime reads one timestamp as the parser found it, "" for none.
func readTime(raw string) []query.Time {
	t, ok := org.ParseTimestamp(raw)
	if !ok || t.Diary {
		return nil
	}
	return []query.Time{queryTime(t)}
}

// asked is a timestamp as queries see it.
func queryTime(t org.Timestamp) query.Time {
	out := query.Time{Start: t.Start, End: t.End, Active: t.Active, Warning: warningDays}
	if w := t.Warning; w.Mark != "" {
		days := map[byte]int{'d': 1, 'w': 7, 'm': 30, 'y': 365}[w.Unit]
		out.Warning = w.Count * days
	}
	return out
}

// timestamps yields the timestamps that stand in a text, wherever they stand.
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

// timestampAt returns the timestamp or range that a text begins with, "" when
// there is none.
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

// bracketed returns the text up to its first closing bracket when it begins as
// a timestamp with a date.
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

// clocks returns the times of the clock entries of a text that have ended.
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
