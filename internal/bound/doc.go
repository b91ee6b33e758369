// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package bound holds data of bounded size. [Map] drops the entries that were set or used longest
// ago. [Heap] returns its first item in O(log n), [Top] keeps the best of a sequence. [Slab] allocates
// large slices that are loaded in one step.
// [Shares] divides connections, requests, streams and sessions among clients, and a [Semaphore]
// bounds concurrent work of all callers. [Each] runs a loop on all processors.
//
// Invariants:
//   - A map of size n holds at least the n entries that were last set or used, and at most 2n.
//     [Map.Peek] and [Map.All] do not count as a use.
//   - If the order of a heap is total, the order in which items are popped or sorted does not
//     depend on the order in which they were added.
//   - No client can use up the shares that the others need: a bearer that exceeds its limit loses
//     its own oldest share. Only when the total is exceeded does the bearer with the most shares
//     lose one, the owner last.
//   - A slab is ordinary memory of the Go heap. The only effect outside the process is the advice
//     about its pages.
//   - Only Shares and Semaphore are safe for concurrent use.
//
// Elsewhere: expiry by time; rates of writes are internal/httpapi; the caller of Acquire defines
// how an evicted share ends.
package bound
