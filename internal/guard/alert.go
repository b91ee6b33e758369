// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package guard

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// MaxMessage is the maximum size in bytes of an alert message that all supported services accept.
const MaxMessage = 3500

// Alert reports that a protected file changed outside Fovea. There is one Alert for each
// change, however often the file is read.
type Alert struct {
	FileStatus
	Memex   string // the folder
	Time    time.Time
	Changes []Change // nil if the file is new or gone
	More    int      // number of other files with the same problem
}

// Message returns the alert for the user: at most MaxMessage bytes of text without
// control characters other than newlines.
func (a *Alert) Message() string {
	where := "it is served, marked as unreviewed, until you have looked"
	if a.Mode == Lockdown {
		where = "it is locked down: no reader gets it"
	}
	var head strings.Builder
	fmt.Fprintf(&head, "Fovea: %s %s outside Fovea; %s.\n", sanitize(a.Path, 400), a.State.verb(), where)
	fmt.Fprintf(&head, "memex %s, seen %s", sanitize(a.Memex, 400), a.Time.UTC().Format(time.RFC3339))
	if a.File != Absent {
		fmt.Fprintf(&head, ", sha256 %x", a.File[:8])
	}
	head.WriteString("\n")
	if a.More > 0 {
		fmt.Fprintf(&head, "The same holds of %d more protected files: fovea guard list\n", a.More)
	}
	foot := "See: fovea guard diff " + sanitize(a.Path, 400) + "\nThen: fovea guard adopt, or fovea guard reject\n"

	room := MaxMessage - head.Len() - len(foot) - len("and 1000000 more changes\n")
	for i, c := range a.Changes {
		entry := fmt.Sprintf("%s %s: %s\n", c.What, c.Kind, sanitize(c.Where, 160))
		if room -= len(entry); room < 0 {
			fmt.Fprintf(&head, "and %d more changes\n", len(a.Changes)-i)
			break
		}
		head.WriteString(entry)
	}
	return head.String() + foot
}

func (s State) verb() string {
	switch s {
	case New:
		return "appeared"
	case Gone:
		return "was removed"
	case Unreadable:
		return "was made unreadable"
	case Unsigned:
		return "has no baseline that a known key signed: baselines were changed or removed"
	}
	return "was changed"
}

// sanitize replaces control characters in a text and truncates it to limit bytes.
func sanitize(s string, limit int) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == utf8.RuneError {
			return ' '
		}
		return r
	}, s)
	if len(s) > limit {
		s = truncate(s, limit-len("…")) + "…"
	}
	return s
}
