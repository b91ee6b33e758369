// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package hive lets several agents work on one memory: they send each other messages and
// claim tasks, both as headlines of Org files.
//
// [Hive] belongs to one scope. A [Message] is a headline in the inbox of its receiver,
// agents/NAME/inbox.org. A [Task] is a headline with a keyword in tasks.org or below tasks/,
// or one anywhere with the property TASK; its claim is in its drawer. [Agent] is what the
// memory knows of an agent. Hive is also the [scope.Fence] of its scope: it holds every
// writer to the claims. [Proposals] keeps the changes that agents propose until the owner decides
// about them, each as a document of a session that only its agent sees.
//
// Invariants:
//   - A claim is compared and set by the chain's one writer, in one commit with its file. The
//     number of a claim is greater than that of every earlier claim of the task.
//   - A task has at most one holder, also of other machines where [Hive.Referee] granted the claim. A lease that ended is free, wherever the clock is set.
//   - Sending writes exactly one node, which is inert; it needs no right to the inbox.
//   - Reading marks as read exactly the messages whose bodies it returns, in the same step.
//   - A [Proposal] changes nothing but the session that keeps it, and is decided once. What the
//     owner accepts is what the owner saw: the request names the digest of the node that it changes.
//
// Comparing and setting a claim needs the chain's writer: each operation is a change of
// internal/write.
//
// Elsewhere: other edits of headlines are internal/notes; which writes become proposals is
// api/ops; making text inert is internal/inert;
// which claim a merge keeps is package org.
package hive
