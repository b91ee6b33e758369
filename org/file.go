// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import "strings"

// IsFile reports whether the path of a file ends in .org or .org_archive, in any case
// as in Emacs.
func IsFile(path string) bool {
	return hasSuffixFold(path, ".org") || hasSuffixFold(path, ".org_archive")
}

// hasSuffixFold is strings.HasSuffix for an ASCII suffix in any case.
func hasSuffixFold(s, suffix string) bool {
	return len(s) >= len(suffix) && strings.EqualFold(s[len(s)-len(suffix):], suffix)
}
