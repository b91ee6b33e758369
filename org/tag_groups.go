// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/fovea-memory/fovea/document"
)

// tagGroups parses the groups of the #+TAGS lines, which form one text: a group may
// extend over several lines. An unclosed group is ignored.
func tagGroups(settings []Keyword) []document.TagGroup {
	var groups []document.TagGroup
	var open, named bool
	var g document.TagGroup
	for _, k := range settings {
		if k.Key != "TAGS" {
			continue
		}
		for _, word := range strings.FieldsFunc(k.Value, isFieldSpace) {
			switch word {
			case "{", "[":
				open, named, g = true, false, document.TagGroup{Exclusive: word == "{"}
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

// declaredTag returns the tag, or the regular expression in braces, of a word in a
// #+TAGS line without its fast key, or "" for any other word.
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
