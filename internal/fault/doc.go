// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package fault is the error value that every operation of a memory returns.
//
// An [Error] names the operation, the thing it is about, a [Kind] and the cause.
// The kind decides what a caller can do: exit codes and HTTP status follow it.
// [Wrap] builds an Error once; each layer above passes it on unchanged, so a
// message names its operation once.
//
// Elsewhere: the root package exports these names as fovea.Error and fovea.Kind;
// api turns them into what crosses the wire.
package fault
