// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package alert sends messages to their owner's telephone or desk: by Telegram,
// by Signal through a server of signal-cli, by ntfy, or by mail.
//
// [Parse] makes a [Sink] of a URL; a [Queue] sends each message to each of its
// sinks, tries again as long as one fails, keeps what waits in a folder, and makes its
// caller wait for no sink.
//
// Invariants:
//
//   - Send waits for the disk alone, whatever the sinks do. One that fails holds up no other.
//   - The messages of a sink arrive in order, each at least once, unless more wait
//     than the queue holds: then the oldest is dropped, and counted. A message that was
//     kept is sent by the next process that has not been sent by this one.
//   - No token of a URL stands in an error.
//
// Not here: what is worth an alert, and what it says (internal/guard).
package alert
