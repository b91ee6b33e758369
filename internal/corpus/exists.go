// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package corpus

import "errors"

// Exists reports whether something stands at a path below the root, whatever it
// is. What cannot be known, because permission is missing or a link leads out,
// counts as there. O(parts of the path).
func (r *Root) Exists(name string) bool {
	_, _, err := r.resolve(name)
	return !errors.Is(err, ErrDangling)
}
