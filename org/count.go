// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import "strings"

// HasMoreHeadlines reports whether src has more headlines than most: more than [Parse]
// would list without inline tasks. It needs no memory, and time in proportion to src;
// none where src is too short to have so many.
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
