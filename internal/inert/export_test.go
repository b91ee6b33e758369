// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package inert

import "github.com/fovea-memory/fovea/org"

// Fragment is a fragment or an environment of TeX.
type Fragment struct {
	Text  string
	Stays bool
}

// Fragments returns those of a document.
func Fragments(text string) []Fragment {
	var out []Fragment
	doc := org.Parse(text, nil)
	for i := -1; i < len(doc.Headlines); i++ {
		tree := doc.Objects(i)
		for k := range tree.Elements {
			switch tree.Elements[k].Type {
			case org.TypeLatexFragment, org.TypeLatexEnvironment:
				out = append(out, Fragment{tree.Text(k), len(elementTeX(tree, k)) == 0})
			}
		}
	}
	return out
}
