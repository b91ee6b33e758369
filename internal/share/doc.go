// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package share divides what there is a limited number of among those who ask for it:
// connections, requests under way, streams, sessions. Nobody can use up what others need.
//
// [Shares] counts what each [Bearer] holds. Who takes one more than its limit gives up its
// own oldest one; the holdings of others are not touched. Only when all together hold too
// much does the bearer that holds the most give up one, and the owner last.
//
// All limits, with their reasons, are in limits.go.
//
// Elsewhere: how a share ends. Who takes a share says what is to be done when it has to
// give way. Rates of writes are limited in internal/httpapi.
package share
