// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package foveatest

import (
	"sync/atomic"
	"time"
)

// Ticking returns a clock that begins at begin and advances by step with each call. It is safe for concurrent use.
func Ticking(begin time.Time, step time.Duration) func() time.Time {
	var calls atomic.Int64
	return func() time.Time { return begin.Add(time.Duration(calls.Add(1)) * step) }
}
