// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package inert

import (
	"strings"

	"github.com/fovea-memory/fovea/org"
)

// isHabit reports whether properties mark a habit of org-habit.
func isHabit(properties []org.Property) bool {
	is := false
	for _, q := range properties {
		if strings.EqualFold(q.Key, "STYLE") {
			is = strings.EqualFold(strings.TrimSpace(q.Value), "habit")
		}
	}
	return is
}

// isDrawableHabit reports whether org-habit can draw a date: it repeats after at least a
// day, and its maximum interval, if any, exceeds the minimum. The agenda of a day fails
// on any other habit.
func isDrawableHabit(scheduled string) bool {
	stamp, ok := org.ParseTimestamp(scheduled)
	if !ok {
		return false
	}
	every := stamp.Repeater
	minDays := habitDays(every.Count, every.Unit)
	return minDays > 0 && (every.MaxCount == 0 || habitDays(every.MaxCount, every.MaxUnit) > minDays)
}

// habitDays converts a count of units to days as org-habit does; 0 for hours.
func habitDays(count int, unit byte) int {
	return int(float64(count) * map[byte]float64{'d': 1, 'w': 7, 'm': 30.4, 'y': 365.25}[unit])
}
