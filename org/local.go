// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import "strings"

// IsLocal reports whether the own text of a headline, as returned by [Document.Text],
// is parsed alike in every document with the same settings and affects nothing
// outside it: it contains no setting and no radio target. It takes time in proportion
// to the text.
func IsLocal(text string) bool {
	if strings.Contains(text, "<<<") {
		return false
	}
	if !strings.Contains(text, "#+") {
		return true
	}
	s := scanner{src: text}
	s.scan(0)
	return len(s.keywords) == 0
}
