// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A TagGroup is a set of tags that #+TAGS lines declare between braces or
// brackets.
type TagGroup struct {
	// Name is the tag that stands for all of the group, or "" for tags that
	// only exclude one another. Two groups may have one name.
	Name string
	// Members are the other tags, in order. One in braces is a regular
	// expression: {P@.+}. A member that names a group stands for its members too.
	Members []string
	// Exclusive reports braces: a headline should bear no two of the members.
	Exclusive bool
}

// tagGroups reads the groups of the #+TAGS lines, which are one text: a group
// may go on over several lines. One that is not closed does not count.
func tagGroups(settings []Keyword) []TagGroup {
	var groups []TagGroup
	var open, named bool
	var g TagGroup
	for _, k := range settings {
		if k.Key != "TAGS" {
			continue
		}
		for _, word := range strings.FieldsFunc(k.Value, isFieldSpace) {
			switch word {
			case "{", "[":
				open, named, g = true, false, TagGroup{Exclusive: word == "{"}
			case ":":
				if n := len(g.Members); open && !named && n > 0 {
					g.Name, g.Members = g.Members[n-1], nil
				}
				named = true
			case "}", "]":
				if open && len(g.Members) > 0 && (g.Name != "" || g.Exclusive) {
					groups = append(groups, g)
				}
				open = false
			default:
				if tag := declaredTag(word); open && tag != "" {
					g.Members = append(g.Members, tag)
				}
			}
		}
	}
	return groups
}

// declaredTag returns the tag, or the regular expression in braces, that a word
// of a #+TAGS line declares, without its fast key; "" for a word that is neither.
func declaredTag(word string) string {
	if at := len(word) - len(")"); strings.HasSuffix(word, ")") && at > 0 {
		_, size := utf8.DecodeLastRuneInString(word[:at])
		if tag, isKey := strings.CutSuffix(word[:at-size], "("); isKey {
			word = tag
		}
	}
	if len(word) > len("{}") && word[0] == '{' && word[len(word)-1] == '}' {
		return word
	}
	for _, r := range word {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_@#%", r) {
			return ""
		}
	}
	return word
}
