// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package failure defines the error that every operation of a memory returns.
//
// An [Error] names the operation, the thing it is about, a [Kind] and the cause.
// The kind decides what a caller can do: exit codes and HTTP status follow it.
//
// Elsewhere: internal/fault builds errors; the root package exports the names of this one as
// fovea.Error and fovea.Kind; api turns them into what crosses the wire.
package failure
