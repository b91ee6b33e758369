// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package bound

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Each calls do with each number below n, on all processors, and returns after the last call.
func Each(n int, do func(i int)) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	wg.Wait()
}
