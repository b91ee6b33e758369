// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package node

import (
	"path"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/org"
)

// SetupPath returns the path, relative to the memex, of a file that a document names in
// #+SETUPFILE, and whether it is inside the memex. Absolute paths, paths in a home folder
// and URLs are not: the meaning of a document must not depend on the machine.
func SetupPath(document, name string) (string, bool) {
	if name == "" || name[0] == '~' || path.IsAbs(name) || strings.Contains(name, "://") || strings.Contains(name, "\x00") {
		return "", false
	}
	p := path.Join(path.Dir(document), name)
	return p, p != "." && p != ".." && !strings.HasPrefix(p, "../") && len(p) <= MaxPath
}

// setupPaths returns the sorted setup files of a parsed document, without itself.
func setupPaths(document string, doc *org.Document) []string {
	var out []string
	for _, name := range doc.SetupFiles {
		if p, ok := SetupPath(document, name); ok && p != document {
			out = append(out, p)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
