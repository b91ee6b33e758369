// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package working models an agent's working memory: typed blocks, such as the file that it reads, the task
// that it works on, or its last actions.
//
// A [Block] has a [Type], an id, a priority and a confidence. [Block.Complete] checks a block
// and sets its defaults; [Block.Content] returns its text for a model. [FromAction] returns the
// blocks that result from an action of an agent. [Block.Tree] and [OfNode]
// convert blocks to and from the nodes of a session, which keeps them with all their
// versions.
//
// Invariants:
//
//   - The priority that a caller gives is kept, except that messages are never critical.
//   - Two blocks of an agent with the same id are the same block: adding one replaces the
//     other.
//   - A critical block never leaves working memory by itself; see [Block.Leaves].
//   - Lines are numbered from 1, and a range includes both of its ends.
//
// Elsewhere: keeping blocks in a history and reading their files (package internal/minds),
// choosing among blocks and notes within a budget (package window), outlines of long files
// (package internal/outline).
package working
