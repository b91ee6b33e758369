// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package config

import (
	"path/filepath"
	"regexp"
	"strings"
)

var variable = regexp.MustCompile(`\$([A-Za-z_][A-Za-z0-9_]*|\{[A-Za-z_][A-Za-z0-9_]*\})`)

// Expand returns a path as a person writes it with its variables replaced: $NAME
// and ${NAME} anywhere, and a ~ that is the first part. A variable that env does
// not know, or knows as empty, stays as it is written; a value is not expanded
// again. Quotes and blanks around the path are removed first. It touches no
// file. O(n).
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
