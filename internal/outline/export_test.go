// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package outline

// Text returns the outline of src.
func Text(language string, src []byte) string {
	text := ""
	for _, l := range linesOf(scan(language, src), len(src)) {
		text += l.format(1) + "\n"
	}
	return text
}
