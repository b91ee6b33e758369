// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package outline

// Text returns the outline of src.
func Text(language string, src []byte) string { return textOf(scan(language, src), len(src)) }
