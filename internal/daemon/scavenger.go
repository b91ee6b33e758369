// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"runtime/debug"
	"runtime/metrics"
)

// scavenger decides when to return memory freed by requests to the system. The garbage
// collector runs only when the heap has grown by as much as is in use, so that an idle
// daemon would keep that memory. It is for one goroutine.
type scavenger struct {
	seen     uint64 // bytes allocated until the previous tick
	returned uint64 // bytes allocated when memory was last returned
}

const (
	maxIdleBytes = 8 << 20  // allocated between two ticks, at most, for a daemon to count as idle
	minBytes     = 32 << 20 // allocated since memory was last returned, at least, to justify a full collection
)

// due takes the bytes allocated so far, once per tick, and reports whether to return memory
// now.
func (s *scavenger) due(allocated uint64) bool {
	idle := allocated-s.seen <= maxIdleBytes
	s.seen = allocated
	if !idle || allocated-s.returned < minBytes {
		return false
	}
	s.returned = allocated
	return true
}

// tick returns memory if due. It costs reading a counter, or a garbage collection while
// requests are served.
func (s *scavenger) tick() {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	if sample[0].Value.Kind() == metrics.KindUint64 && s.due(sample[0].Value.Uint64()) {
		debug.FreeOSMemory()
	}
}
