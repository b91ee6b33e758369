// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package oldview holds the session of an agent to what it has seen: it replaces or removes no text
// of others that it has not been shown.
//
// [Reader] is such a session. It remembers the digest of each text that it was shown whole or wrote,
// and names the lines of others that are new to it.
//
// Invariants: what is forgotten counts as never seen, so that a lost record refuses, and loses nothing.
//
// Elsewhere: what windows have shown is kept in package fovea; which changes replace text is
// package api.
package oldview
