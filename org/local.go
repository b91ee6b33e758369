// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import "strings"

// IsLocal reports whether the own text of a headline, as [Document.Text] gives it, is
// read alike in every document of the same settings, and says nothing that counts
// outside of it: no setting stands in it, and no radio target. It answers for a
// document without inline tasks. It takes time in proportion to the text.
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
