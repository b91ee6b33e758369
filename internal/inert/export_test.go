// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package inert

import "github.com/fovea-memory/fovea/org"

// Fragments returns the fragments and environments of TeX in a document.
func Fragments(text string) []string {
	var out []string
	doc := org.Parse(text, nil)
	for i := -1; i < len(doc.Headlines); i++ {
		tree := doc.Objects(i)
		for k := range tree.Elements {
			if _, isTeX := elementTeX(tree, k); isTeX {
				out = append(out, tree.Text(k))
			}
		}
	}
	return out
}
