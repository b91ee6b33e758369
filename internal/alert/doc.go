// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package alert sends messages to their owner's telephone or desk: by Telegram,
// by Signal through a server of signal-cli, or by ntfy.
//
// [Parse] makes a [Sink] of a URL; a [Queue] sends each message to each of its
// sinks, tries again as long as one fails, and never makes its caller wait.
//
// Invariants:
//
//   - Send returns at once, whatever the sinks do. One that fails holds up no other.
//   - The messages of a sink arrive in order, each at least once, unless more wait
//     than the queue holds: then the oldest is dropped, and counted.
//   - No token of a URL stands in an error.
//
// Not here: what is worth an alert, and what it says (internal/guard); messages
// that wait are lost when the process ends.
package alert
