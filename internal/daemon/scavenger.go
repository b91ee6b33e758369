// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"runtime/debug"
	"runtime/metrics"
)

// scavenger decides when the memory that requests have left behind is returned to the
// system. The garbage collector runs only when the heap has grown by as much as is in
// use, so that an idle daemon would keep it. It is for one goroutine.
type scavenger struct {
	seen     uint64 // bytes allocated until the previous tick
	returned uint64 // bytes allocated when memory was last returned
}

const (
	maxIdleBytes = 8 << 20  // allocated between two ticks of an idle daemon at most
	minBytes     = 32 << 20 // allocated since memory was last returned for a full collection to be worth its time
)

// due takes the number of bytes allocated so far, once a tick, and reports whether
// memory is returned now.
func (s *scavenger) due(allocated uint64) bool {
	idle := allocated-s.seen <= maxIdleBytes
	s.seen = allocated
	if !idle || allocated-s.returned < minBytes {
		return false
	}
	s.returned = allocated
	return true
}

// tick returns memory if it is due. It costs reading a counter, or a garbage collection
// while requests are served.
func (s *scavenger) tick() {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	if sample[0].Value.Kind() == metrics.KindUint64 && s.due(sample[0].Value.Uint64()) {
		debug.FreeOSMemory()
	}
}
