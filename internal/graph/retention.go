// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package graph

import "time"

// Retention selects the moments of a history to keep by age: all younger than All, the
// last of each hour younger than Hourly, and the last of each day younger than Daily, in
// UTC. Older ones are dropped.
type Retention struct{ All, Hourly, Daily time.Duration }

// Keep reports for each of the ascending times whether its moment is kept. The last one
// always is. O(times).
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
