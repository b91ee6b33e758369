// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

//go:build !unix

package corpus

// isRunning returns true, so that any lock which may be held counts as held.
func isRunning(int) bool { return true }
