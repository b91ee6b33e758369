// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import "runtime/debug"

// By how many percent the heap of a process grows between two collections. A verb ends
// soon and does better with more memory than with more collections; a daemon stays.
const (
	growBriefly = 400
	growForLong = 100
)

// letGrow sets such a percentage, unless somebody has set another one by GOGC.
func (s *session) letGrow(percent int) {
	if s.growth == 0 {
		s.growth = 100 // the runtime's own
	}
	if was := debug.SetGCPercent(percent); was != s.growth {
		debug.SetGCPercent(was)
		return
	}
	s.growth = percent
}
