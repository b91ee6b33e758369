// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package archive

// SetWorkFactor sets the cost of a passphrase for a test, and returns what it was.
func SetWorkFactor(n int) (was int) {
	was, workFactor = workFactor, n
	return was
}
