// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package fault builds the errors that the operations of a memory return.
//
// [Wrap] builds an [Error] once; each layer above passes it on unchanged, so a
// message names its operation once. [Meant] finds the id that a name abbreviates.
//
// Elsewhere: package failure defines what callers see of an error.
package fault
