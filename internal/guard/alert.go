// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package guard

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/fovea-memory/fovea/merkle"
)

// MaxMessage is how many bytes the message of an alert has at most: what the
// services that carry it take.
const MaxMessage = 3500

// Alert tells that a protected file changed from outside. There is one for each
// change, whoever reads the file and how often.
type Alert struct {
	Memex   string // the folder
	Path    string
	Mode    Mode
	State   State
	File    merkle.Digest // what the file holds; Absent for no file
	Time    time.Time
	Changes []Change // nil where the file is new or gone
	More    int      // how many other files the same holds of
}

// Message is the alert for a person, at most MaxMessage bytes of text without
// control characters other than line ends.
func (a *Alert) Message() string {
	where := "it is served, marked as unreviewed, until you have looked"
	if a.Mode == Lockdown {
		where = "it is locked down: no reader gets it"
	}
	var head strings.Builder
	fmt.Fprintf(&head, "Fovea: %s %s outside Fovea; %s.\n", line(a.Path, 400), a.State.verb(), where)
	fmt.Fprintf(&head, "memex %s, seen %s", line(a.Memex, 400), a.Time.UTC().Format(time.RFC3339))
	if a.File != Absent {
		fmt.Fprintf(&head, ", sha256 %x", a.File[:8])
	}
	head.WriteString("\n")
	if a.More > 0 {
		fmt.Fprintf(&head, "The same holds of %d more protected files: fovea guard list\n", a.More)
	}
	foot := "See: fovea guard diff " + line(a.Path, 400) + "\nThen: fovea guard adopt, or fovea guard reject\n"

	room := MaxMessage - head.Len() - len(foot) - len("and 1000000 more changes\n")
	for i, c := range a.Changes {
		told := fmt.Sprintf("%s %s: %s\n", c.What, c.Kind, line(c.Where, 160))
		if room -= len(told); room < 0 {
			fmt.Fprintf(&head, "and %d more changes\n", len(a.Changes)-i)
			break
		}
		head.WriteString(told)
	}
	return head.String() + foot
}

func (s State) verb() string {
	switch s {
	case New:
		return "appeared"
	case Gone:
		return "was removed"
	case Unread:
		return "was made unreadable"
	case Unvouched:
		return "has no baseline that a known key signed: baselines were changed or removed"
	}
	return "was changed"
}

// line makes text of a note fit for a line of at most limit bytes.
func line(s string, limit int) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == utf8.RuneError {
			return ' '
		}
		return r
	}, s)
	if len(s) <= limit {
		return s
	}
	end := limit - len("…")
	for !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "…"
}
