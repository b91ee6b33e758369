// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package vfs

import (
	"path/filepath"
	"regexp"
	"strings"
)

var variable = regexp.MustCompile(`\$([A-Za-z_][A-Za-z0-9_]*|\{[A-Za-z_][A-Za-z0-9_]*\})`)

// Expand replaces the variables in a path: $NAME and ${NAME} anywhere, and a leading ~. A
// variable that env does not know, or knows as empty, is left as written; values are not
// expanded again. Quotes and blanks around the path are removed first. It touches no file.
// O(n).
func Expand(path string, env func(string) string) string {
	path = strings.Trim(path, "\"' \t\r\n")
	home := env("HOME")
	fromHome := home != "" && (path == "~" || strings.HasPrefix(path, "~/"))
	path = variable.ReplaceAllStringFunc(path, func(name string) string {
		if value := env(strings.Trim(name, "${}")); value != "" {
			return value
		}
		return name
	})
	if fromHome {
		return filepath.Join(home, path[1:])
	}
	return path
}
