// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"runtime/debug"
	"runtime/metrics"
)

// rest tells when memory that a busy time has left behind is to go back to the system.
// The collector runs when the heap has grown by as much as is in use: what the last
// requests have left stays where nobody asks any more. It is for one goroutine.
type rest struct {
	seen  uint64 // bytes that had been allocated at the last beat
	given uint64 // and when memory was last given back
}

const (
	restful = 8 << 20  // bytes that are allocated between two beats of a daemon at rest, at most
	worth   = 32 << 20 // bytes that must have been allocated for a collection of everything to be worth its time
)

// due takes in how many bytes have been allocated so far, at a beat, and reports whether
// memory is to be given back now.
func (r *rest) due(allocated uint64) bool {
	quiet := allocated-r.seen <= restful
	r.seen = allocated
	if !quiet || allocated-r.given < worth {
		return false
	}
	r.given = allocated
	return true
}

// beat gives memory back when it is time. It costs a look, or a collection of the heap,
// beside which requests are answered.
func (r *rest) beat() {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	if sample[0].Value.Kind() == metrics.KindUint64 && r.due(sample[0].Value.Uint64()) {
		debug.FreeOSMemory()
	}
}
