// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package minds stores what agents have in working memory, were shown, did and found useful, by session.
//
// [Blocks] is the working memory of each agent: every block is a document of the session that only its
// agent sees; [Files] reads the files that blocks name. [Windows] records the windows that agents were
// given, renders them again, and records what agents did. [Feedback] stores the judgements of the owner and
// of agents on notes that they were shown. [Sessions] remembers what each session was shown, so that it is
// not repeated, and [TokenCounts] caches the token counts of parts of windows.
//
// Invariants:
//   - One call makes one commit, so history has every version, and a revert undoes exactly that call. What
//     leaves a session stays in history.
//   - A file is read only below the root, and only if it is text and neither hidden, ignored, in lockdown
//     nor encrypted. An unreadable file affects only its own block.
//   - The record of a window holds no text of a note: its instructions copy from versions in history, and
//     hold only Fovea's own words and pieces of up to three bytes. A rendered text that is marked exact has
//     the digest of the text that was given.
//   - The queue of windows is bounded; a full queue is committed before Add returns. A session keeps
//     the newest windows, and the newest automatic blocks of each agent. An automatic block never replaces
//     a block that its agent made.
//   - An entry of feedback holds the digest of its question, and ids and numbers of nodes, but no text. The
//     model depends on the present entries alone; those of an agent are limited by day and in total.
//
// Elsewhere: blocks, their ids and paths (package working), what a window shows (package window), ranking
// (internal/recall), who may ask (package api).
package minds
