// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import "runtime/debug"

// Values of GOGC. A verb is short-lived and trades memory for fewer collections; a daemon
// runs for long.
const (
	growBriefly = 400
	growForLong = 100
)

// letGrow sets the garbage collector's percentage unless GOGC set another.
func (s *session) letGrow(percent int) {
	if s.growth == 0 {
		s.growth = 100 // the runtime's default
	}
	if was := debug.SetGCPercent(percent); was != s.growth {
		debug.SetGCPercent(was)
		return
	}
	s.growth = percent
}
