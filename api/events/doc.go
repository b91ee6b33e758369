// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package events defines the operations by which programs say what happens around a memory,
// and see what happened to their calls.
//
// [OpEvent] is an event by its name; skills answer to it. [OpBufferUpdate] is what an editor
// says of a buffer with unsaved changes. [OpLogs] returns the log, to which [Logged] adds the
// calls. doc/format/events.md describes all events.
//
// Invariants:
//
//   - Fovea executes nothing in a skill: it names the skills that answer to an event.
//   - Only the owner holds buffers, as long as its stream of events is open.
//   - An agent reads its own lines of the log and no others.
//
// Elsewhere: internal/buffer keeps buffers, internal/httpapi serves the stream of events, and
// internal/daemon fires the event heartbeat.
package events
