// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

//go:build !unix

package corpus

// runs says yes: a lock that may be held is taken for held.
func runs(int) bool { return true }
