// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package hive lets several agents work on one memory: they send each other messages and
// claim tasks, both as headlines of Org files.
//
// [Hive] belongs to one scope. A [Message] is a headline in the inbox of its receiver,
// agents/NAME/inbox.org. A [Task] is a headline with a keyword in tasks.org or below tasks/,
// or one anywhere with the property TASK; its claim is in its drawer. [Agent] is what the
// memory knows of an agent. Hive is also the [scope.Fence] of its scope: it holds every
// writer to the claims.
//
// Invariants:
//   - A claim is compared and set by the chain's one writer, in one commit with its file. The
//     number of a claim is greater than that of every earlier claim of the task.
//   - Operations that wait together are written together: each is checked against the result
//     of those before it, and none returns before all are durable. See decision 0159.
//   - A task has at most one holder. A lease that ended is free, wherever the clock is set.
//   - Sending writes exactly one node, which is inert; it needs no right to the inbox.
//   - Reading marks as read exactly the messages whose bodies it returns, in the same step.
//
// The package stands beside internal/notes and is not a client of the memory, because comparing
// and setting needs the chain's Tx: files are read, checked and written while it is held. See
// decision 0127.
//
// Elsewhere: other edits of headlines are internal/notes; making text inert is internal/inert;
// which claim a merge keeps is package org.
package hive
