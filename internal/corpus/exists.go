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

// Vacant reports whether nothing stands at a path below the root, not even a link that
// leads to nothing. O(parts of the path).
func (r *Root) Vacant(name string) bool {
	_, info, err := r.resolveNew(name)
	return err == nil && info == nil
}

// Lost reports whether there is no file to read at a path below the root: nothing stands
// there, or a link that leads to nothing, out of the root or back to itself, or something
// that is no regular file. What only permission hides is not lost. O(parts of the path).
func (r *Root) Lost(name string) bool {
	_, info, err := r.resolve(name)
	if err == nil {
		return !info.Mode().IsRegular()
	}
	return errors.Is(err, ErrDangling) || errors.Is(err, ErrOutside) || errors.Is(err, ErrLoop)
}
