// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package daemon

import "fmt"

// Failures describes each failing sink: its last error, and how many messages are
// pending or were dropped.
func (q *Queue) Failures() []string {
	q.mu.Lock()
	defer q.mu.Unlock()
	var out []string
	for _, w := range q.workers {
		if w.lastErr != nil {
			out = append(out, fmt.Sprintf("%s: %v; %d messages pending, %d dropped", w.Name, w.lastErr, len(q.stored.Pending), q.dropped))
		}
	}
	return out
}
