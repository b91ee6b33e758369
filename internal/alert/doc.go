// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package alert sends messages to the owner's phone or desktop through Telegram, Signal
// (by a signal-cli REST server), ntfy or email.
//
// [Parse] turns a URL into a [Sink]. A [Queue] sends each message to each of its sinks,
// retries failures, stores pending messages in a file, and never makes its caller
// wait for a sink.
//
// Invariants:
//
//   - Send waits for the disk only. A failing sink does not delay the others.
//   - Each sink receives its messages in order and at least once. If more are pending
//     than the queue holds, the oldest is dropped and counted. Stored messages that
//     this process could not deliver are sent by the next one.
//   - Errors contain no token of a URL.
//
// Elsewhere: which events raise an alert, and its text (internal/guard).
package alert
