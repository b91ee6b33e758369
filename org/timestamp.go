// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import "time"

// A Timestamp is a timestamp or a range of two. Fields that were not written are
// zero. Dates are what the digits say: 2026-02-31 is the third of March.
type Timestamp struct {
	Active bool // in angle brackets
	Diary  bool // <%%(expression)>: no other field is set
	// Start is when it begins, in UTC with the digits as they stand, for Org knows
	// no time zones. End is when a range ends, equal to Start when it is none.
	Start, End time.Time
	// StartTime and EndTime report a time of the day beside the date.
	StartTime, EndTime bool
	// Range reports two dates or two times of the day: <..>--<..> or 10:00-11:00.
	Range bool
	// Repeater and Warning are the cookies, such as +1w, ++2d, .+1m/2m and -3d, --1d.
	Repeater, Warning Interval
}

// An Interval is a repeater or a warning period.
type Interval struct {
	Mark  string // "+", "++", ".+"; "-", "--"; "" when there is none
	Count int
	Unit  byte // h, d, w, m or y
	// MaxCount and MaxUnit are the upper bound of a habit: .+1d/3d. 0 without one.
	MaxCount int
	MaxUnit  byte
}
