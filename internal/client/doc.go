// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package client reaches a daemon: a [Client] is an api.Service over a unix
// socket or over HTTP.
//
// Invariants:
//
//   - What the daemon answers comes back as it would from a Service in this
//     process; errors are *fovea.Error of the same kind that say the same.
//   - A write that was cut off by a lost connection is sent again under the same
//     key, so that it happens once, if Options.Again brings a daemon back.
//
// Elsewhere: finding and starting a daemon (internal/daemon).
package client
