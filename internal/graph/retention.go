// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package graph

import "time"

// Retention says which moments of a history stay, by their age: all that are
// younger than All, the last of each hour that are younger than Hourly, the last
// of each day that are younger than Daily. Hours and days are those of UTC. What
// is older than all three goes.
type Retention struct{ All, Hourly, Daily time.Duration }

// Keep reports for each of the times, which ascend, whether its moment stays.
// The last one always does. O(times).
func (r Retention) Keep(times []time.Time, now time.Time) []bool {
	keep := make([]bool, len(times))
	for i, t := range times {
		last := i == len(times)-1
		endsHour := last || !t.Truncate(time.Hour).Equal(times[i+1].Truncate(time.Hour))
		endsDay := last || !t.Truncate(day).Equal(times[i+1].Truncate(day))
		age := now.Sub(t)
		keep[i] = last || age < r.All || endsHour && age < r.Hourly || endsDay && age < r.Daily
	}
	return keep
}

const day = 24 * time.Hour
