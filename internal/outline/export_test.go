// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package outline

import "strings"

// Text returns the outline of src.
func Text(language string, src []byte) string {
	var text strings.Builder
	for _, l := range linesOf(scan(language, src), len(src)) {
		text.WriteString(l.format(1) + "\n")
	}
	return text.String()
}
