// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package lru is a map of bounded size. [Map] drops the entries that were set or
// used longest ago, a generation at a time, so that an access costs what one of a Go
// map does and an entry takes no more memory.
//
// Invariants:
//
//   - A map of size n holds at least the n entries that were last set or used, and
//     at most 2n.
//   - [Map.Peek] and [Map.All] do not count as a use.
//   - A map is not safe for concurrent use.
//
// Elsewhere: expiry by time and limits in bytes.
package lru
