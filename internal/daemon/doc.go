// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package daemon keeps one memory open for everybody who asks: it watches the
// folder, listens at a socket and, if asked to, on the loopback interface, and
// knows who comes in.
//
// [Serve] is the daemon; [Connect] finds it and [Start] brings one up.
//
// Invariants:
//
//   - One daemon serves a memex: whoever has the lock of its state folder. The
//     socket is made after the lock was taken, so one that stands there before is
//     of a daemon that is gone.
//   - A request is answered from a memory that holds everything that was saved
//     before it came.
//   - Over the socket only the user who runs the daemon is heard; over TCP only
//     who has a token, from this machine.
//   - Where a write error has stopped the memory, reads go on, and whoever asks is told
//     to have it opened again.
//   - When it is told to stop, requests under way are answered first.
//   - What the process keeps grows with the memory, not with its age, and what a busy
//     time has left goes back to the system.
//
// Elsewhere: the operations (api), HTTP (internal/httpapi), settings
// (internal/config).
package daemon
