// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package share divides limited resources among clients: connections, running requests,
// streams, sessions. No client can use up the resources that the others need.
//
// [Shares] counts the [Share] values that each [Bearer] holds. A bearer that exceeds its
// limit loses its own oldest share; other bearers are not affected. Only when the total
// limit is exceeded does the bearer with the most shares lose one, the owner last.
//
// A [Semaphore] bounds what is done at a time, whoever asks.
//
// All limits, with their reasons, are in limits.go.
//
// Elsewhere: the caller of Acquire defines how an evicted share ends. internal/httpapi
// limits the rates of writes.
package share
