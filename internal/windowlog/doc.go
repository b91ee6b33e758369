// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package windowlog records which windows agents were given and renders them again, and records
// what agents did as blocks of their working memory.
//
// [Log] takes a [Given] window when its answer is ready, and commits it later, with others, to
// the history of the session: as a [Window], which names the parts and their versions, and as
// instructions that put its text together from those versions. [Log.Render] follows them.
// [Log.Did] takes an action of an agent; its block waits in the same queue.
//
// Invariants:
//
//   - No text of a note is kept: the instructions copy from the versions in history, and hold
//     the words of Fovea, such as headings' stars, paths and handles, and pieces of up to three bytes.
//   - A rendered text that is marked exact has the digest of the text that was given. What has
//     been purged since is left out, and named.
//   - The queue is bounded; a window that does not fit waits for the commit of the others.
//   - The documents of a session keep its newest windows, and the newest automatic blocks of
//     each agent; history has all of them.
//   - An automatic block replaces no block that its agent made.
//
// Elsewhere: what a window shows (package window), ids and paths of the documents (package
// working), who may ask (package api).
package windowlog
