// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package protect keeps a protected file that was changed from outside away from readers until
// its owner has decided about it.
//
// A [Guard] belongs to one scope. [Guard.View] returns a view without the files in lockdown,
// and alerts the owner once for each change; [Guard.Diff] shows a change; [Guard.Adopt] and
// [Guard.Reject] record the decision.
//
// Invariants:
//   - Each view for anybody but the owner compares the bytes of every protected file; times and sizes prove
//     nothing.
//   - Only the owner sees a file in lockdown and decides about it.
//   - A rejected text stays in history.
//
// Elsewhere: policies and verdicts are internal/guard; what is trusted and who may write is
// internal/scope; messages to the owner are internal/alert.
package protect
