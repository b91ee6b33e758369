// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import "strings"

// IsFile reports whether a file of this path is an Org file by its name, which ends in
// .org or .org_archive. Capitals do not matter, as in Emacs.
func IsFile(path string) bool {
	return hasSuffixFold(path, ".org") || hasSuffixFold(path, ".org_archive")
}

// hasSuffixFold is strings.HasSuffix for a suffix of ASCII, without regard to case.
func hasSuffixFold(s, suffix string) bool {
	return len(s) >= len(suffix) && strings.EqualFold(s[len(s)-len(suffix):], suffix)
}
