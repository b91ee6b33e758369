// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package travel

// HeldSnapshots returns the numbers of the commits whose states are in memory, the newest
// first.
func (h *History) HeldSnapshots() []uint64 {
	var out []uint64
	for _, e := range h.snapshotList() {
		if e.state != nil {
			out = append(out, e.seq)
		}
	}
	return out
}

// Write makes the caller the writer of the chain until end is called.
func (h *History) Write() (end func()) { return h.scope.Chain.Begin().End }
