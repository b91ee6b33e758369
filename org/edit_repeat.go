// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// lastRepeat is the property with the time at which a repeating task was last finished.
const lastRepeat = "LAST_REPEAT"

// repeatTask finishes a repeating task: it shifts the timestamps, sets the first
// state again, and logs the completion.
func (e *editor) repeatTask(old, state string) error {
	l := e.doc.logging(e.at)
	stamps := e.repeatingTimestamps()
	for k := len(stamps) - 1; k >= 0; k-- {
		s := stamps[k]
		to, err := e.shiftTimestamp(withDayName(e.doc.Source[s.start:s.end]))
		if err != nil {
			return fmt.Errorf("set todo %q: %w", state, err)
		}
		e.draft.replace(s.start, s.end, to)
	}
	e.doc = e.doc.reparse(e.draft.text)
	e.writeKeyword(e.repeatState(old))
	remove := []string{"CLOSED"}
	if stamp := e.headline().Scheduled; stamp != "" && repeater(stamp).Count == 0 && !strings.HasPrefix(stamp, "<%%") {
		remove = append(remove, "SCHEDULED")
	}
	e.setPlanning("", remove...)
	if l.repeat {
		e.putProperty(lastRepeat, propertyLine(lastRepeat, e.stampNow()))
	}
	line := e.stateLine(&l, old, state)
	switch {
	case line != "":
	case l.doneNote:
		line = "- CLOSING NOTE " + e.stampNow()
	case l.repeat:
		line = e.stateChange(state, `"`+old+`"`)
	default:
		return nil
	}
	e.addLogLine(line)
	return nil
}

// repeatState returns the state of a repeating task after its completion: that of the
// property REPEAT_TO_STATE, else the old one if its sequence has types, else the
// first of its sequence. A headline without a keyword gets none.
func (e *editor) repeatState(old string) string {
	if to, ok := e.doc.Property(e.at, "REPEAT_TO_STATE", false); ok && slices.Contains(e.doc.Todo.All, to) {
		return to
	}
	if old == "" {
		return ""
	}
	keywords, types := e.doc.sequence(old)
	if types {
		return old
	}
	return keywords[0]
}

// repeatingTimestamps returns the ranges of the active timestamps with a repeater in
// the own text of the headline, in order. The two halves of a range are separate.
func (e *editor) repeatingTimestamps() []span {
	var out []span
	tree := e.doc.Objects(e.at)
	for i := range tree.Elements {
		switch el := &tree.Elements[i]; el.Type {
		case TypeTimestamp, TypePlanning, TypeNodeProperty:
			out = appendRepeating(out, e.doc.Source, int(el.Start), int(el.End))
		}
	}
	slices.SortFunc(out, func(a, b span) int { return a.start - b.start })
	return slices.Compact(out)
}

// appendRepeating appends the repeating timestamps between two offsets.
func appendRepeating(out []span, src string, start, end int) []span {
	for at := start; at < end; {
		i := strings.IndexByte(src[at:end], '<')
		if i < 0 {
			break
		}
		at += i
		n := singleTimestampLength(src[at:min(end, at+maxTimestamp)])
		if n == 0 || src[at+n-1] != '>' {
			at++
			continue
		}
		if repeater(src[at:at+n]).Count > 0 {
			out = append(out, span{at, at + n})
		}
		at += n
	}
	return out
}

// shiftTimestamp returns a repeating timestamp moved by its repeater: by one
// interval; with ++, by intervals until it is in the future; with .+, to one interval
// from now. Hours require a time of day.
func (e *editor) shiftTimestamp(stamp string) (string, error) {
	t, ok := ParseTimestamp(stamp)
	if !ok {
		return stamp, nil
	}
	r := t.Repeater
	if r.Unit == 'h' && !t.StartTime {
		return "", fmt.Errorf("%s repeats by hours and has no time of day: %w", stamp, ErrTimestamp)
	}
	to := t.Start
	switch r.Mark {
	case ".+":
		to = addInterval(e.repeatBase(t), r)
	case "++":
		to = catchUp(to, r, e.now)
	default:
		to = addInterval(to, r)
	}
	return rewriteTimestamp(stamp, to, to.Add(t.End.Sub(t.Start)), t), nil
}

// repeatBase returns the time from which .+ counts: now for hours, else today at the
// time of day of the timestamp.
func (e *editor) repeatBase(t Timestamp) time.Time {
	if t.Repeater.Unit == 'h' {
		return e.now
	}
	y, m, d := e.now.Date()
	return time.Date(y, m, d, t.Start.Hour(), t.Start.Minute(), 0, 0, time.UTC)
}

// addInterval adds one interval to t.
func addInterval(t time.Time, r Interval) time.Time {
	switch r.Unit {
	case 'h':
		return time.Unix(t.Unix()+int64(r.Count)*3600, 0).UTC()
	case 'd':
		return t.AddDate(0, 0, r.Count)
	case 'w':
		return t.AddDate(0, 0, 7*r.Count)
	case 'm':
		return t.AddDate(0, r.Count, 0)
	}
	return t.AddDate(r.Count, 0, 0)
}

// catchUp adds at least one interval to t, until it is later than now. For intervals
// of days and longer it must be on a later day.
func catchUp(t time.Time, r Interval, now time.Time) time.Time {
	if r.Unit != 'h' {
		now = time.Date(now.Year(), now.Month(), now.Day(), 23, 59, 0, 0, time.UTC)
	}
	if fixed := addInterval(t, r).Unix() - t.Unix(); r.Unit != 'm' && r.Unit != 'y' && now.After(t) {
		// Skip intervals of fixed length in one step, whatever the year.
		r := Interval{Unit: r.Unit, Count: int((now.Unix()-t.Unix())/fixed) * r.Count}
		t = addInterval(t, r)
	}
	for t = addInterval(t, r); !t.After(now); t = addInterval(t, r) {
	}
	return t
}

// withDayName replaces the first word after the date of a timestamp by the name of its
// day in English, unless it is a time or a cookie. Org does not accept all names: T4 is
// Wednesday in Vietnamese, and Org does not read a time after it.
func withDayName(stamp string) string {
	const date = len("<0000-00-00")
	word := skipBlankRun(stamp[date:])
	name := word[:strings.IndexAny(word, " >]")]
	for at := range name {
		if isCookie(name[at:]) {
			name = name[:at]
			break
		}
	}
	if name == "" || strings.Contains(name, ":") {
		return stamp
	}
	return stamp[:date] + " " + stampDate(stamp).Format("Mon") + word[len(name):]
}

// rewriteTimestamp replaces the date and time of a single timestamp and keeps its
// other parts. It adds the name of the day if that is missing.
func rewriteTimestamp(stamp string, start, end time.Time, t Timestamp) string {
	rest := afterDay(stamp)
	out := stamp[:1] + start.Format("2006-01-02 Mon")
	if t.StartTime {
		_, after, _ := timeOfDay(skipBlankRun(rest))
		out += start.Format(" 15:04")
		if t.Range {
			_, after, _ = timeOfDay(strings.TrimPrefix(after, "-"))
			out += end.Format("-15:04")
		}
		rest = after
	}
	return out + rest
}
