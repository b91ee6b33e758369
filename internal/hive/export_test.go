// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package hive

// Hold lets operations wait until the returned function is called; they are then one group, in
// the order in which they came.
func Hold(h *Hive) (release func()) {
	h.queue.lead <- struct{}{}
	return func() { <-h.queue.lead }
}

// Waiting counts the operations that wait.
func Waiting(h *Hive) int { return h.queue.Len() }
