// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import "runtime/debug"

const (
	defaultGrowth = 100 // the runtime's default of GOGC
	shortGrowth   = 400 // of a short-lived process, which trades memory for fewer collections
)

// growHeap lets the heap grow further before each collection, unless GOGC is set. restore
// undoes it.
func growHeap() (restore func()) {
	was := debug.SetGCPercent(shortGrowth)
	if was != defaultGrowth {
		debug.SetGCPercent(was)
	}
	return func() { debug.SetGCPercent(was) }
}
