// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import "strings"

// HasMoreHeadlines reports whether src has more than limit headlines, as [Parse]
// counts them. It allocates nothing and takes time in proportion to src, or constant
// time if src is too short to contain that many.
func HasMoreHeadlines(src string, limit int) bool {
	const shortest = len("* \n")
	if len(src) < limit*shortest {
		return false
	}
	at := 0
	if strings.HasPrefix(src, bom) {
		at = len(bom)
	}
	for count := 0; ; {
		if at < len(src) && src[at] == '*' && starsAt(src, at) > 0 {
			if count++; count > limit {
				return true
			}
		}
		next := strings.Index(src[at:], "\n*")
		if next < 0 {
			return false
		}
		at += next + 1
	}
}
