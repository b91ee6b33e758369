// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package inert

import (
	"strings"

	"github.com/fovea-memory/fovea/org"
)

// isHabit reports the drawer of a habit, as org-habit knows one.
func isHabit(properties []org.Property) bool {
	is := false
	for _, q := range properties {
		if strings.EqualFold(q.Key, "STYLE") {
			is = strings.EqualFold(strings.TrimSpace(q.Value), "habit")
		}
	}
	return is
}

// isHabitual reports a date that org-habit can draw: it repeats after days or more, and
// the most days between two times are more than the least. The agenda of a day with any
// other habit ends with an error.
func isHabitual(scheduled string) bool {
	stamp, ok := org.ParseTimestamp(scheduled)
	if !ok {
		return false
	}
	every := stamp.Repeater
	least := days(every.Count, every.Unit)
	return least > 0 && (every.MaxCount == 0 || days(every.MaxCount, every.MaxUnit) > least)
}

// days returns how many days org-habit takes a count of units for, 0 for hours.
func days(count int, unit byte) int {
	return int(float64(count) * map[byte]float64{'d': 1, 'w': 7, 'm': 30.4, 'y': 365.25}[unit])
}
