// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package corpus

import (
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/fovea-memory/fovea/document"
)

// class is the role of a path in a memex.
type class uint8

const (
	foreign class = iota // not part of the memex
	parsed               // of a format other than Opaque
	opaque               // stored without parsing
)

// classify derives the class of a file from its path alone.
func (s *selection) classify(file string) class {
	if !s.region.contains(file) {
		return foreign
	}
	name := file[strings.LastIndexByte(file, '/')+1:]
	switch {
	case s.names(file), name == document.IgnoreFile:
		return opaque
	case isHidden(name), isEditorsCopy(name):
		return foreign
	case s.parses(name):
		return parsed
	case strings.EqualFold(path.Ext(name), ".gpg") && s.parses(name[:len(name)-len(".gpg")]),
		s.skills != "" && isBelow(file, s.skills), isROM(file):
		return opaque
	}
	return foreign
}

// names reports whether the configuration names a file.
func (s *selection) names(file string) bool {
	_, named := slices.BinarySearch(s.opaque, file)
	return named
}

// isHidden reports whether a name is hidden, or may name a hidden file on another file system:
// some file systems ignore invisible characters and Unicode normalization in names, and others
// give the folder .git the alternative name GIT~1.
func isHidden(name string) bool {
	for i := range len(name) {
		if name[i] >= utf8.RuneSelf {
			name = norm.NFKC.String(strings.Map(visible, name))
			break
		}
	}
	if len(name) == 0 || name[0] == '.' {
		return true
	}
	number, short := strings.CutPrefix(strings.ToLower(name), "git~")
	return short && strings.Trim(number, "0123456789") == ""
}

// visible drops an invisible character. It replaces an ellipsis, which NFKC would turn into
// several dots.
func visible(r rune) rune {
	switch {
	case unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point):
		return -1
	case r == '\u2025', r == '\u2026':
		return '_'
	}
	return r
}

// hasHidden reports whether any name in the path is hidden.
func hasHidden(path string) bool {
	return slices.ContainsFunc(strings.Split(path, "/"), isHidden)
}

// isEditorsCopy reports whether name is a backup (x~) or an auto-save file (#x#).
func isEditorsCopy(name string) bool {
	return strings.HasSuffix(name, "~") || len(name) > 1 && name[0] == '#' && name[len(name)-1] == '#'
}

// isBelow reports whether path is inside folder, at any depth.
func isBelow(path, folder string) bool {
	return len(path) > len(folder) && path[len(folder)] == '/' && path[:len(folder)] == folder
}

// isROM reports whether a path has the form agents/NAME/ROM*.
func isROM(file string) bool {
	matches, _ := path.Match("agents/*/ROM*", file)
	return matches
}

// isUsable reports whether path can name a document: valid UTF-8, at most maxPath
// bytes, and no control characters, which would break lines of output.
func isUsable(path string) bool {
	if len(path) > maxPath || !utf8.ValidString(path) {
		return false
	}
	return !strings.ContainsFunc(path, unicode.IsControl)
}
