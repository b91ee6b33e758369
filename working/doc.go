// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package working is the model of an agent's working memory: typed blocks, such as the file
// that it reads, the task that it works on, or what it did last.
//
// A [Block] has a [Type], an id, a priority and a confidence. [Block.Complete] checks one
// and fills in its defaults; [Block.Content] is what a model is given of it. [FromAction]
// makes the blocks that an action of an agent leaves behind. [Block.Tree] and [OfNode]
// convert blocks to and from the nodes of a session, which keeps them with all their
// versions.
//
// Invariants:
//
//   - The priority that a caller gives is kept, except that what others wrote is never
//     critical.
//   - Two blocks of an agent with the same id are the same block: adding one replaces the
//     other.
//   - A critical block never leaves working memory by itself; see [Block.Leaves].
//   - Lines are numbered from 1, and a range includes both of its ends.
//
// Elsewhere: keeping blocks in a history and reading their files (package internal/minds),
// choosing among blocks and notes within a budget (package window), outlines of long files
// (package internal/outline).
package working
