// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package buffer keeps the unsaved buffers of editors, as long as their clients are
// connected.
//
// A client joins [Buffers] while its connection is open and puts a [Buffer] for each file
// that has unsaved changes in the editor. Nobody writes such a file meanwhile, and
// requests of the owner in the buffer's session see its text; those of agents do not.
//
// Invariants:
//
//   - Nothing is written to disk. When a client leaves, its buffers are gone.
//   - The buffers of a client are bounded (MaxBuffers, MaxText), and so are all texts together
//     (MaxTotal).
//
// Elsewhere: internal/corpus refuses to write files that are held, package fovea lays the
// texts over the views of sessions, and internal/httpapi binds clients to streams.
package buffer
