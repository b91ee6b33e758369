// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package hive lets several agents work on one memory: they send each other messages and
// claim tasks, both as headlines of Org files.
//
// [Hive] belongs to one scope. A [Message] is a headline in the inbox of its receiver,
// agents/NAME/inbox.org. A [Task] is a headline with a keyword in tasks.org or below tasks/,
// or one anywhere with the property TASK; its claim is in its drawer. [Agent] describes an agent
// that the memory knows. Hive is also the [scope.Fence] of its scope: it enforces claims on every
// writer. [Proposals] keeps the changes that agents propose until the owner decides about them,
// each as a document of a session that only its agent sees.
//
// Invariants:
//   - A claim is compared and set by the chain's one writer, in one commit with its file. The
//     number of a claim is greater than that of every earlier claim of the task.
//   - A task has at most one holder, across machines if [Hive.Referee] granted the claim. Setting a clock back keeps no lease from ending.
//   - Sending writes exactly one node, which is inert. The sender needs no right to the inbox.
//   - Reading marks as read exactly the messages whose bodies it returns, in the same step.
//   - A [Proposal] changes only the session that keeps it, and is decided once. The owner accepts
//     exactly what the owner saw: the request names the digest of the node that it changes.
//
// Comparing and setting a claim needs the chain's writer: each operation is a change of
// internal/write.
//
// Elsewhere: internal/notes makes other edits of headlines; api/ops decides which writes become
// proposals; internal/inert makes text inert; package org decides which claim a merge keeps.
package hive
