// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import (
	"path"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/document"
)

// SetupPath returns the path, relative to the memex, of a file that a document names in
// #+SETUPFILE, and whether it is inside the memex. Absolute paths, paths in a home folder
// and URLs are not: the meaning of a document must not depend on the machine.
func SetupPath(from, name string) (string, bool) {
	if name == "" || name[0] == '~' || path.IsAbs(name) || strings.Contains(name, "://") || strings.Contains(name, "\x00") {
		return "", false
	}
	p := path.Join(path.Dir(from), name)
	return p, p != "." && p != ".." && !strings.HasPrefix(p, "../") && len(p) <= document.MaxPath
}

// setupPaths returns the sorted setup files of a parsed document, without itself.
func setupPaths(from string, doc *Document) []string {
	var out []string
	for _, name := range doc.SetupFiles {
		if p, ok := SetupPath(from, name); ok && p != from {
			out = append(out, p)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
