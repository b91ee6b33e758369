// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package daemon keeps one memory open for many clients: it watches the folder, listens at a
// socket and, on request, on the loopback interface, and authenticates callers.
//
// [Serve] is the daemon; [Connect] finds it and [Start] starts one.
//
// It also alerts the owner through Telegram, Signal (by a signal-cli REST server), ntfy or email.
// [ParseSink] turns a URL into a [Sink]. A [Queue] sends each message to each of its sinks, retries
// failures, stores pending messages in a file, and never makes its caller wait for a sink.
//
// Invariants:
//
//   - One daemon serves a memex: the holder of its state folder's lock. It creates the socket
//     after taking the lock, so an older socket belongs to a daemon that has exited.
//   - A request is answered from a memory that holds everything saved before the request.
//   - The socket accepts only the user who runs the daemon; TCP only the bearer of a token,
//     from this machine.
//   - After a write error, reads continue, and answers explain how to reopen the memory.
//   - Running requests are answered before the daemon stops.
//   - The process's memory grows with the data, not over time, and is returned to the system after
//     a busy period.
//   - Each sink receives its messages in order and at least once, and a failing one does not delay the
//     others. If more are pending than the queue holds, the oldest is dropped and counted. Errors
//     contain no token of a URL.
//
// Elsewhere: the operations (api), HTTP (internal/httpapi), settings (internal/config), which
// events raise an alert (internal/guard).
package daemon
