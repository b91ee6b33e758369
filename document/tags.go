// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package document

// A TagGroup is a set of tags that #+TAGS lines declare between braces or brackets.
type TagGroup struct {
	// Name is the tag that stands for the whole group, or "" for tags that only
	// exclude each other. Group names need not be unique.
	Name string
	// Members are the other tags, in order. A member in braces, {P@.+}, is a regular
	// expression. A member that names a group includes its members.
	Members []string
	// Exclusive reports braces: a headline should have at most one of the members.
	Exclusive bool
}
