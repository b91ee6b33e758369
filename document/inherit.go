// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package document

import (
	"slices"
	"strings"
)

// Values collects the values of one property from a drawer and its ancestors, nearest
// first: call [Values.Add] for each line and [Values.EndDrawer] after each drawer.
// The zero value is empty.
type Values struct {
	base      string
	added     []string // from KEY+ lines in this drawer
	collected []string // from the drawers below
	found     bool     // base is set
}

// Add adds one line of the drawer. It ignores lines with a key other than key.
func (v *Values) Add(key, name, value string) {
	plain, adds := strings.CutSuffix(name, "+")
	switch {
	case !strings.EqualFold(plain, key):
	case adds:
		v.added = append(v.added, value)
	default: // the last line with the key wins
		v.base, v.found = value, value != "nil"
	}
}

// EndDrawer ends a drawer. It reports whether the drawer sets the property itself,
// which hides the values of its ancestors.
func (v *Values) EndDrawer() bool {
	var base []string
	if v.found {
		base = []string{v.base}
	}
	v.collected, v.added = slices.Concat(base, v.added, v.collected), nil
	return v.found
}

// Join returns the collected values joined by blanks, and whether there are any.
func (v *Values) Join() (string, bool) {
	value := strings.Join(v.collected, " ")
	return value, len(v.collected) > 0 && value != "nil"
}
